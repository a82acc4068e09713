import { type DefinitionChange, isObject, ownValue, type PlanCheckId, planCheckIds } from '@aosc/contract';
import { decideGate, isOwnName } from '@aosc/domain';
import { aliasesLeftBehind, type IndexDescription } from '@aosc/engine';
import { shownAliases } from '../../auth/principal';
import type { ApiDependencies } from '../../dependencies';
import { countShards } from '../../target/check-shard-room';
import { replicasOf, textOf } from '../../target/limited-values';
import type { Caller } from '../caller';
import { pipelineOf, pipelineSettings } from '../check-pipelines';
import type { Checks, StartContext } from '../checks';
import { nameSome } from '../check-indices';
import { findShortDisks } from './disk-room';
import type { Seen } from './seen';

/** What the looks of a plan are about. */
interface Looked extends Pick<StartContext, 'request' | 'options' | 'source' | 'files' | 'call'> {
  /** undefined: there is no target yet */
  readonly target: IndexDescription | undefined;
  readonly seen: Seen;
  readonly caller: Caller;
}

/** @returns warnings; undefined: what it would look at is not there */
type Look = (
  looked: Looked,
  deps: ApiDependencies,
) => readonly string[] | undefined | Promise<readonly string[] | undefined>;

/** A cutover that waits longer than this may be a mistyped date. */
const longWaitMs = 7 * 86_400_000;
/** Of a mapping: decides what becomes of fields that it does not have. */
const decides = /\.dynamic$/;
/** Settings that decide how documents are taken and found. */
const decisive = /^settings\.index\.(?:analysis|similarity|sort|mapping)\./;

const looks: Readonly<Partial<Record<PlanCheckId, Look>>> = {
  'alias.left_behind': ({ source, request, caller }) => {
    const { aliasesLeftBehind: left = [] } = aliasesLeftBehind(source, request.alias);
    const named = left.filter((name) => caller.mayUseAlias(name));
    const which = named.length === 0 ? 'aliases of others' : `[${nameSome(named)}]`;
    return left.length === 0 ? [] : [`${which} stay on [${source.index}] after the swap`];
  },

  'alias.rollover': ({ source: { index, aliases }, caller }) =>
    /-\d+$/.test(index)
      ? [...aliases]
          .filter(([name, { json }]) => !isOwnName(name) && isWriteIndex(json))
          .map(
            ([name]) =>
              `[${index}] is the write index of alias [${shownAliases(caller, [name]).join()}]: a rollover moves its writes to a new index`,
          )
      : [],

  'source.lifecycle': async ({ source: { index }, call }, { readLifecyclePolicy }) => {
    const policy = await readLifecyclePolicy(index, call);
    return policy === undefined
      ? []
      : [`the policy [${policy}] acts on [${index}]: it may roll it over or delete it`];
  },

  'source.templates': ({ request, source, seen: { templates } }) => {
    if (templates === undefined) return ['the user of the service may not read index templates'];
    const unmatched = (these: readonly string[], others: readonly string[], index: string, other: string) => {
      const names = these.filter((name) => !others.includes(name));
      return names.length === 0 ? [] : [`[${nameSome(names)}] match [${index}] and not [${other}]`];
    };
    return [
      ...unmatched(templates.source, templates.target, source.index, request.target),
      ...unmatched(templates.target, templates.source, request.target, source.index),
    ];
  },

  'target.pipelines': ({ source, target }) =>
    target &&
    pipelineSettings.flatMap((name) => {
      const [before, after] = [source, target].map((index) => pipelineOf(index, name) ?? '_none');
      return before === after ? [] : [`[${name}] is [${before}] in the source and [${after}] in the target`];
    }),

  'target.mapping': ({ seen }) =>
    seen.compared?.changes
      .filter(
        ({ path, source }) => path.startsWith('mappings.') && (source !== undefined || decides.test(path)),
      )
      .map(describeChange),

  'target.settings': ({ seen }) =>
    seen.compared?.changes.filter(({ path }) => decisive.test(path)).map(describeChange),

  'target.copies': async ({ target, caller, call }, { cluster, readDataNodes }) => {
    if (target === undefined) return undefined;
    const { index, settings } = target;
    const nodes = (await readDataNodes(call)).length;
    const replicas = replicasOf(settings);
    const expands = (textOf(ownValue(settings, 'index.auto_expand_replicas')) || 'false') !== 'false';
    if (!expands && replicas >= nodes) {
      const there = caller.isLimited ? 'fewer' : nodes;
      return [
        `[${index}] has ${replicas} replicas, which takes ${replicas + 1} data nodes, and there are ${there}`,
      ];
    }
    const why = await cluster.index(index).state.explainUnassigned(call);
    return why === undefined ? [] : [why];
  },

  // A target of files was checked for its disks and its shards.
  'cluster.disk': async (
    { source, target, files, seen: { allocation }, caller, call },
    { readDataNodes },
  ) => {
    if (files !== undefined) return undefined;
    const copies = 1 + replicasOf((target ?? source).settings);
    return findShortDisks(allocation, await readDataNodes(call), copies, caller.isLimited);
  },

  'cluster.shard_room': async ({ source, target, files, caller, call }, { readShardRoom }) => {
    if (files !== undefined || target !== undefined) return undefined;
    const room = await readShardRoom(call);
    const added = countShards(
      { definition: { settings: source.settings, mappings: {} }, shardCount: source.shardCount },
      room,
    );
    if (room.used + added <= room.limit) return [];
    const limits = caller.isLimited ? '' : `: ${room.limit} are allowed, and ${room.used} are there`;
    return [`a target like the source adds ${added} shards, and the cluster has too little room${limits}`];
  },

  'cluster.allocation': ({ seen: { allocation } }) => {
    const name = 'cluster.routing.allocation.enable';
    const value = allocation.settings[name] ?? 'all';
    return value === 'all' ? [] : [`[${name}] is [${value}]: shards that should start or move wait`];
  },

  'query.matches': async ({ source, options: { validationQuery }, call }, { cluster }) => {
    if (validationQuery === undefined) return [];
    const count = await cluster.index(source.index).state.count(validationQuery, call);
    return count === 0 ? [`the validation query matches no document of [${source.index}]`] : [];
  },

  'cutover.moment': ({ options }, { now }) => {
    const { cutoverNotBefore: earliest } = options;
    if (earliest !== undefined && Date.parse(earliest) < now())
      return [`cutover_not_before [${earliest}] is over`];
    const gate = decideGate({ options }, now());
    if (gate.type !== 'waiting_for_window') return [];
    const { opensAtMillis: opens, waitsFor } = gate;
    if (opens !== undefined && opens - now() <= longWaitMs) return [];
    return [
      `the cutover waits for ${waitsFor}${opens === undefined ? '' : `, until ${new Date(opens).toISOString()}`}`,
    ];
  },
};

/** Looks at what a start does not refuse. */
export async function lookFurther(deps: ApiDependencies, looked: Looked, checks: Checks): Promise<void> {
  for (const id of planCheckIds) {
    const look = looks[id];
    if (look !== undefined) await checks.warn(id, () => look(looked, deps));
  }
}

function describeChange({ path, source, target }: DefinitionChange): string {
  const show = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));
  return `[${path.slice(path.indexOf('.') + 1)}] is ${show(source)} in the source and ${show(target)} in the target`;
}

/** @param json properties of an alias */
function isWriteIndex(json: string): boolean {
  const properties: unknown = JSON.parse(json);
  return isObject(properties) && String(ownValue(properties, 'is_write_index')) === 'true';
}
