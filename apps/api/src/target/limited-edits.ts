import { ownValue, shorten } from '@aosc/contract';
import { findValueAboveBound, isBounded, sameValue } from './limited-values';
import type { TargetRequest } from './target-request';

type Settings = Readonly<Record<string, unknown>>;

/** These say how many copies there are, and when they are refreshed and compressed; none of them runs anything. */
const harmless: readonly string[] = [
  'index.codec',
  'index.number_of_replicas',
  'index.number_of_routing_shards',
  'index.refresh_interval',
];
/**
 * These reach beyond the index, which the permission for scripts does not cover: documents in the log of a node, shards
 * on nodes that are kept for others, and a place before all others when a node comes back.
 */
const beyondIndex = [/\.slowlog(?:\.|$)/, /^index\.routing\./, /^index\.priority$/];
/** Primary shards of one target, unless its source has more: the cluster limits the shards of all indices together. */
const maxShards = 64;
const defaultsSetting = 'aosc.defaults.transient_target_settings';

/** What a caller asks of a target beside its name. */
type Edits = Pick<TargetRequest, 'settings'> & Partial<Pick<TargetRequest, 'shardCount' | 'mappings'>>;

/** What such edits are compared with. */
export interface Yardstick {
  readonly source: { readonly shardCount: number; readonly settings: Settings };
  /** `aosc.defaults.transient_target_settings`: all callers may use an administrator's values */
  readonly defaults: Settings;
}

/**
 * What a credential that is limited to some indices may not ask of a target, when it is created or while it is filled:
 * shards and copies that would fill the cluster, what reaches beyond the index, and, without the permission for
 * scripts, all that the nodes build an index from. Analysers and patterns of a mapping are code just as scripts are: a
 * regular expression can keep a thread busy for ever or end the node, and a `mappings_path` reads a file of the node.
 * @returns why, for the caller; undefined: the edits are permitted
 */
export function findForbiddenEdit(
  { shardCount = 1, settings, mappings = {} }: Edits,
  yardstick: Yardstick,
  caller: { readonly mayTransform: boolean },
): string | undefined {
  const shards = Math.max(maxShards, yardstick.source.shardCount);
  if (shardCount > shards)
    return `may create at most ${shards} shards of this source; an administrator may more`;
  for (const [name, value] of Object.entries(settings)) {
    const reason = findForbiddenSetting(name, value, yardstick, caller);
    if (reason !== undefined) return reason;
  }
  const mapping = Object.keys(mappings)[0];
  if (mapping === undefined || caller.mayTransform) return undefined;
  return needsTransform(`mappings.${mapping}`);
}

function findForbiddenSetting(
  name: string,
  value: unknown,
  { source, defaults }: Yardstick,
  { mayTransform }: { readonly mayTransform: boolean },
): string | undefined {
  const given = ownValue(defaults, name);
  if (given !== undefined && sameValue(given, value)) return undefined;
  if (isBounded(name) && (harmless.includes(name) || given !== undefined || mayTransform)) {
    const permitted = findValueAboveBound(name, value, source.settings);
    return permitted === undefined
      ? undefined
      : `may not set [${name}] to [${shorten(JSON.stringify(value))}]: its target ${permitted}. ${askAdministrator(name)}`;
  }
  if (beyondIndex.some((pattern) => pattern.test(name))) {
    return (
      `may not set [${shorten(name)}]: it reaches beyond the index, and this credential is limited to some indices. ` +
      askAdministrator(name)
    );
  }
  return mayTransform || harmless.includes(name) ? undefined : needsTransform(name);
}

function needsTransform(edit: string): string {
  return (
    `may not change [${shorten(edit)}]: the nodes run what stands in mappings, analysers and pipelines. Its roles must ` +
    `have [transform]; without it number_of_shards and [${harmless.join(', ')}] may differ from the source, and what ` +
    `[${defaultsSetting}] names may have the value it has there. Ask an administrator for either`
  );
}

function askAdministrator(name: string): string {
  return `For another value ask an administrator, who may name [${shorten(name)}] in [${defaultsSetting}], or start the migration`;
}
