import { AoscError, type MadeOfFiles, type RoutingMode } from '@aosc/contract';
import { selectRoutingMode } from '@aosc/domain';
import type { IndexDescription } from '@aosc/engine';
import type { ApiDependencies } from '../../dependencies';
import { findUnlinkable, fitAllocation, hasAllocation } from '../../target/allocation-fit';
import { checkShardRoom } from '../../target/check-shard-room';
import { requirePermittedEdits } from '../../target/create-target';
import { planTarget } from '../../target/plan-target';
import type { Caller } from '../caller';
import { preconditionFailed } from '../check-indices';
import { indexNotFound } from '../index-not-found';
import { isIndexName } from '../index-names';
import type { StartContext } from '../start-context';
import { findFilesProblems } from './files-problems';
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
  const nodes = hasAllocation(whole) ? await deps.readDataNodes(call) : [];
  const plan = fitAllocation(whole, { nodes, edits: edited.settings, mayLeaveOut: !caller.isLimited });
  if (hasAllocation(plan)) {
    const { primaries } = await deps.cluster.index(source.index).state.readRouting(call);
    const shards = new Map<string, number>();
    for (const { nodeId = '' } of primaries) {
      shards.set(nodeId, (shards.get(nodeId) ?? 0) + plan.shardCount / shardCount);
    }
    refuse(request, source, findUnlinkable(plan.definition.settings, nodes, shards));
  }
  await checkShardRoom(deps, plan, caller, call);
  const files = resizeSettings(definition.settings, plan.definition.settings, options);
  return { mode, target: describePlanned(request.target, source, plan), files };
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
