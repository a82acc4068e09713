import { AoscError, type CreateTargetAnswer, ownValue, resolveSettings } from '@aosc/contract';
import { selectRoutingMode } from '@aosc/domain';
import { type Call, type IndexDescription, isClusterError } from '@aosc/engine';
import type { IndexDefinition } from '@aosc/opensearch';
import type { ApiDependencies } from '../dependencies';
import type { Caller } from '../start/caller';
import { payHourly } from '../limits/limits';
import { refuseUnseen, indexNotFound } from '../start/check-indices';
import { isIndexName } from '../start/name-problems';
import { workOf } from '../start/start-shares';
import { fitAllocation, hasAllocation } from './allocation-fit';
import { checkShardRoom } from './check-shard-room';
import { compareDefinitions } from './compare-definitions';
import { withoutBorrowed } from './inherited-settings';
import { findForbiddenEdit, type Yardstick } from './limited-edits';
import { findTemplateGifts, type NewIndex } from './matching-templates';
import { planTarget, type TargetPlan } from './plan-target';
import { readTargetRequest, type TargetRequest } from './target-request';
import { withTemplates } from './with-templates';

type Dependencies = Pick<
  ApiDependencies,
  | 'admission'
  | 'cluster'
  | 'createIndex'
  | 'hiddenIndices'
  | 'limits'
  | 'logger'
  | 'newStartCall'
  | 'readDataNodes'
  | 'readDefinition'
  | 'readShardRoom'
  | 'readTemplates'
  | 'simulateTemplate'
  | 'store'
>;

interface Asked {
  readonly caller: Caller;
  readonly dryRun: boolean;
  /** fires when the caller no longer waits for the answer */
  readonly gone: AbortSignal;
}

/**
 * Creates an index like the source, with the changes that the caller asks for. Never changes an index that exists.
 * @throws AoscError
 */
export async function createTarget(
  deps: Dependencies,
  source: string,
  body: unknown,
  asked: Asked,
): Promise<CreateTargetAnswer> {
  const { caller, gone } = asked;
  caller.requireIndex(source);
  const request = readTargetRequest(source, body, deps.hiddenIndices);
  caller.requireIndex(request.target);
  return deps.admission.run(workOf(caller, asked.dryRun ? 'none' : 'creation', gone), () =>
    planAndCreate(deps, request, asked),
  );
}

async function planAndCreate(
  deps: Dependencies,
  request: TargetRequest,
  { caller, dryRun }: Asked,
): Promise<CreateTargetAnswer> {
  const { source } = request;
  const call = deps.newStartCall();
  const described = await describeSource(deps, source, caller, call);
  const { description, definition } = described;
  const own = { settings: definition.settings, shardCount: description.shardCount };
  // Runs before the plan, whose refusals say how many nodes there are.
  await requirePermittedEdits(deps, request, own, caller, call);
  const plan = await planFor(deps, described, request, caller, call);
  await checkShardRoom(deps, plan, caller, call);
  if ((await deps.readDefinition(request.target, call)) !== undefined) throw exists(request.target);
  const gifts = await findTemplateGifts(deps, newIndex(request.target, plan), caller, call);
  if (!dryRun) {
    if (caller.isLimited) await payHourly(deps.limits, 'targets', caller.id);
    await create(deps, request, plan, call);
  }
  const made = dryRun ? undefined : await deps.readDefinition(request.target, call);
  const unassigned = dryRun ? undefined : await explainUnassigned(deps, request.target, call);
  const { changes, truncated } = compareDefinitions(
    definition,
    made ?? withTemplates(plan.definition, gifts),
  );
  return {
    source_index: source,
    target_index: request.target,
    dry_run: dryRun,
    created: !dryRun,
    shard_routing_mode: plan.mode,
    definition: { settings: { ...plan.definition.settings }, mappings: { ...plan.definition.mappings } },
    changes: [...changes],
    changes_truncated: truncated,
    left_out: [...plan.leftOut],
    ...(unassigned !== undefined && { unassigned }),
    aliases: Object.entries(definition.aliases)
      .filter(([name]) => caller.mayUseAlias(name))
      .map(([name, properties]) => ({ name, properties: { ...properties } })),
  };
}

/** @throws AoscError forbidden */
export async function requirePermittedEdits(
  { store }: Pick<Dependencies, 'store'>,
  request: TargetRequest,
  source: Yardstick['source'],
  caller: Caller,
  call: Call,
): Promise<void> {
  if (!caller.isLimited) return;
  const stored = await store.readSettings(call);
  const { defaults } = resolveSettings(stored?.record.persistent, stored?.record.transient);
  const yardstick = { source, defaults: defaults.transientTargetSettings };
  const reason = findForbiddenEdit(request, yardstick, caller);
  if (reason !== undefined) throw new AoscError('forbidden', `[${caller.id}] ${reason}`);
}

interface DescribedSource {
  readonly description: IndexDescription;
  readonly definition: IndexDefinition;
}

/** @throws AoscError when there is no such index, or its definition can't be passed on */
async function describeSource(
  { cluster, readDefinition, store }: Dependencies,
  source: string,
  caller: Caller,
  call: Call,
): Promise<DescribedSource> {
  const missing = () => indexNotFound({ cluster }, { role: 'source', name: source }, caller, call);
  if (!isIndexName(source)) throw await missing();
  const before = await store.findMigrationUsing(source, call);
  const [description, definition] = await Promise.all([
    cluster.index(source).state.describe(call),
    readDefinition(source, call),
  ]).catch(refuseUnseen('source', source));
  if (description === undefined || definition === undefined) throw await missing();
  const { changedNumber } = definition;
  if (changedNumber !== undefined) {
    throw new AoscError(
      'precondition_failed',
      `source index [${source}] has the number ${changedNumber} in its mapping or its aliases, which can't be passed ` +
        'on exactly; create the target by hand',
    );
  }
  // A migration may end, or begin to hold writers, between two of these reads.
  const after = await store.findMigrationUsing(source, call);
  const settings = [before, after].reduce<IndexDefinition['settings']>(
    (own, migration) => (migration ? withoutBorrowed(own, description.uuid, migration) : own),
    definition.settings,
  );
  return { description, definition: { ...definition, settings } };
}

async function planFor(
  { readDataNodes }: Dependencies,
  { description: { shardCount, routingShardCount }, definition }: DescribedSource,
  request: TargetRequest,
  caller: Caller,
  call: Call,
): Promise<TargetPlan & { readonly mode: CreateTargetAnswer['shard_routing_mode'] }> {
  const whole = planTarget({ ...definition, shardCount, routingShardCount }, request);
  const nodes = hasAllocation(whole) ? await readDataNodes(call) : [];
  const plan = fitAllocation(whole, { nodes, edits: request.settings, mayLeaveOut: !caller.isLimited });
  return { ...plan, mode: selectRoutingMode(shardCount, plan.shardCount) };
}

/** The index exists: a failed explanation does not make its creation a failure. */
async function explainUnassigned(
  { cluster, logger }: Dependencies,
  target: string,
  call: Call,
): Promise<string | undefined> {
  try {
    return await cluster.index(target).state.explainUnassigned(call);
  } catch (error) {
    if (!isClusterError(error)) throw error;
    logger.warn('the shards of a new target could not be looked at', { error });
    return undefined;
  }
}

function newIndex(name: string, { definition: { settings } }: TargetPlan): NewIndex {
  return { name, isHidden: String(ownValue(settings, 'index.hidden')).toLowerCase() === 'true' };
}

async function create(
  { createIndex, logger }: Dependencies,
  { source, target }: TargetRequest,
  { definition }: TargetPlan,
  call: Call,
): Promise<void> {
  try {
    if ((await createIndex(target, { ...definition }, call)) === 'exists') throw exists(target);
  } catch (error) {
    throw explain(error, target);
  }
  logger.info('target created', { event: 'target_created', sourceIndex: source, targetIndex: target });
}

function explain(error: unknown, target: string): unknown {
  if (!isClusterError(error)) return error;
  const options = { cause: error };
  if (error.kind === 'invalid') {
    return new AoscError(
      'illegal_argument',
      `OpenSearch refuses to create [${target}]: ${error.message}`,
      options,
    );
  }
  if (error.kind !== 'transient' && error.kind !== 'aborted') return error;
  return new AoscError(
    'unavailable',
    `It is not known whether [${target}] was created: look for it, and try again if it is not there. ${error.message}`,
    options,
  );
}

const exists = (target: string): AoscError =>
  new AoscError(
    'conflict',
    `target index [${target}] exists already, and nothing is changed in it; choose another name`,
  );
