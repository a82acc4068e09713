import { AoscError, type MadeOfFiles, type RoutingMode } from '@aosc/contract';
import { selectRoutingMode } from '@aosc/domain';
import type { Call, IndexDescription } from '@aosc/engine';
import type { ShardRoom } from '@aosc/opensearch';
import type { ApiDependencies } from '../../dependencies';
import { fitAllocation } from '../../target/allocation-fit';
import { checkShardRoom, countShards } from '../../target/check-shard-room';
import { requirePermittedEdits } from '../../target/create-target';
import { planTarget, type TargetPlan } from '../../target/plan-target';
import type { Caller } from '../caller';
import { preconditionFailed, indexNotFound } from '../check-indices';
import { isIndexName } from '../name-problems';
import type { StartContext } from '../checks';
import { findFilesProblems } from './files-problems';
import { findUnlinkable, type Linking } from './find-unlinkable';
import { resizeSettings } from './resize-settings';

/** A target that is to be made of the files of the source. */
export interface FilesPlan {
  readonly mode: RoutingMode;
  /** the target as it will be; without a uuid, because there is none yet */
  readonly target: IndexDescription;
  readonly files: MadeOfFiles;
}

/**
 * Looks whether a target can be made of the source's files, before anything is blocked.
 * @throws AoscError precondition_failed with all reasons against it; conflict when there is an index of the name
 */
export async function planFiles(
  deps: ApiDependencies,
  { request, options, source, call }: Pick<StartContext, 'request' | 'options' | 'source' | 'call'>,
  caller: Caller,
): Promise<FilesPlan> {
  const { createTarget: edits = {} } = request;
  if (!isIndexName(request.target))
    throw await indexNotFound(deps, { role: 'target', name: request.target }, caller, call);
  if ((await deps.readDefinition(request.target, call)) !== undefined) {
    throw new AoscError(
      'conflict',
      `target index [${request.target}] exists already: with options.copy [files] the start makes it. Choose another name, ` +
        'or copy documents into it',
    );
  }
  const definition = await deps.readDefinition(source.index, call);
  if (definition === undefined)
    throw await indexNotFound(deps, { role: 'source', name: source.index }, caller, call);
  const { shardCount, routingShardCount } = source;
  const edited = { shardCount: edits.number_of_shards, settings: edits.settings ?? {}, mappings: {} };
  const whole = planTarget({ ...definition, shardCount, routingShardCount }, edited);
  const mode = selectRoutingMode(shardCount, whole.shardCount);
  const problems = findFilesProblems({
    request,
    mode,
    source: { ...source, settings: definition.settings },
    shardCount: whole.shardCount,
  });
  refuse(request, source, problems);
  await requirePermittedEdits(
    deps,
    { ...edited, source: source.index, target: request.target },
    { settings: definition.settings, shardCount },
    caller,
    call,
  );
  const nodes = await deps.readDataNodes(call);
  const plan = fitAllocation(whole, { nodes, edits: edited.settings, mayLeaveOut: !caller.isLimited });
  refuse(request, source, await findNoPlace(deps, { source, plan, nodes, caller, call }));
  await checkShardRoom(deps, plan, caller, call);
  if (!caller.isLimited) requireRoom(plan, await deps.readShardRoom(call));
  const files = resizeSettings(definition.settings, plan.definition.settings, options);
  return { mode, target: describePlanned(request.target, source, plan), files };
}

/** Limited callers do not learn what nodes are called, and what others have there. */
async function findNoPlace(
  deps: ApiDependencies,
  asked: {
    readonly source: IndexDescription;
    readonly plan: TargetPlan;
    readonly nodes: Linking['nodes'];
    readonly caller: Caller;
    readonly call: Call;
  },
): Promise<readonly string[]> {
  const { source, plan, nodes, caller, call } = asked;
  const [{ primaries }, allocation] = await Promise.all([
    deps.cluster.index(source.index).state.readRouting(call),
    deps.readAllocation(source.index, call),
  ]);
  // The look is not worth a privilege of its own: without room the target waits, and says so.
  if (allocation.nodes === undefined) deps.logger.warn('the disks of the nodes could not be looked at');
  const held = new Map<string, { count: number; bytes: number }>();
  for (const { nodeId = '', shard } of primaries) {
    const { count, bytes } = held.get(nodeId) ?? { count: 0, bytes: 0 };
    held.set(nodeId, { count: count + 1, bytes: bytes + (allocation.primaryBytes.get(shard) ?? 0) });
  }
  const reasons = findUnlinkable({
    settings: plan.definition.settings,
    allocation,
    nodes,
    primaries: held,
    perPrimary: plan.shardCount / source.shardCount,
  });
  if (!caller.isLimited || reasons.length === 0) return reasons;
  return ['its shards have no place on the nodes of the source'];
}

/** A target that documents are copied into needs as many. @throws AoscError precondition_failed */
function requireRoom(plan: TargetPlan, room: ShardRoom): void {
  const added = countShards(plan, room);
  if (room.used + added <= room.limit) return;
  throw preconditionFailed(
    `the target has ${added} shards, and [cluster.max_shards_per_node] allows ${room.limit}, of which ${room.used} are ` +
      'there. Raise it, delete indices that are not used any more, or ask for fewer shards or replicas',
  );
}

/** @throws AoscError precondition_failed when there are problems */
function refuse(
  { target }: Pick<StartContext['request'], 'target'>,
  { index }: Pick<IndexDescription, 'index'>,
  problems: readonly string[],
): void {
  if (problems.length === 0) return;
  throw preconditionFailed(
    `target index [${target}] can't be made of the files of [${index}]: ${problems.join('; ')}. ` +
      'options.copy [documents] copies into a target of its own',
  );
}

function describePlanned(
  index: string,
  source: IndexDescription,
  plan: ReturnType<typeof planTarget>,
): IndexDescription {
  const settings = Object.entries(plan.definition.settings).map(
    ([name, value]): readonly [string, string] => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ],
  );
  return {
    index,
    uuid: '',
    open: true,
    shardCount: plan.shardCount,
    routingShardCount: source.routingShardCount,
    routingPartitionSize: source.routingPartitionSize,
    settings: Object.fromEntries(settings),
    mappingVersion: 0,
    aliases: new Map(),
  };
}
