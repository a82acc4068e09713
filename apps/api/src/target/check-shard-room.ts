import { AoscError, type MigrationRecord, ownValue } from '@aosc/contract';
import type { Call } from '@aosc/engine';
import type { ShardRoom } from '@aosc/opensearch';
import type { ApiDependencies } from '../dependencies';
import type { Caller } from '../start/caller';
import { textOf, usualReplicas } from './limited-values';
import type { TargetPlan } from './plan-target';

/** One target of a limited caller may take this part of the shards that the cluster allows, */
const partOfOne = 0.1;
/** and must leave this part to all others. */
const partLeft = 0.5;

/**
 * The cluster limits the shards of all indices together: above the limit no client can create an index any more.
 * @throws AoscError forbidden when the target is too large for a limited caller; conflict when too few would be left
 */
export async function checkShardRoom(
  { readShardRoom, logger, store }: Pick<ApiDependencies, 'readShardRoom' | 'logger' | 'store'>,
  plan: Pick<TargetPlan, 'definition' | 'shardCount'>,
  caller: Pick<Caller, 'id' | 'isLimited'>,
  call: Call,
): Promise<void> {
  if (!caller.isLimited) return;
  const room = await readShardRoom(call);
  const added = countShards(plan, room);
  const most = Math.floor(room.limit * partOfOne);
  if (added > most) {
    throw new AoscError(
      'forbidden',
      `[${caller.id}] may not create a target of ${added} shards, copies included: a credential that is limited to some ` +
        `indices may add ${most} at once. Ask for fewer shards or replicas, or ask an administrator to create it`,
    );
  }
  const { limit } = room;
  const active = await store.listActive(call);
  const used = active.reduce((sum, { record }) => sum + countPlanned(record, room), room.used);
  if (used + added <= limit * (1 - partLeft)) return;
  logger.info('a limited credential was refused a target: too few shards would be left for others', {
    number: added,
    limit,
    used,
  });
  throw new AoscError(
    'conflict',
    `the cluster would have too few shards left for others. Delete indices that are not used any more, or ask an ` +
      'administrator to create the target or to raise [cluster.max_shards_per_node]',
  );
}

/** The shards of a target that a running migration is about to make of files: the cluster does not count them yet. */
function countPlanned(
  { phase, files, targetUuid, targetShardCount }: MigrationRecord,
  room: Pick<ShardRoom, 'dataNodes'>,
): number {
  if (phase !== 'ACTIVE' || files === undefined || targetUuid !== '') return 0;
  const settings = { ...files.settings, ...files.originals };
  return countShards({ shardCount: targetShardCount, definition: { settings, mappings: {} } }, room);
}

/** Primaries and all their copies, of a target with these settings. */
export function countShards(
  { definition: { settings }, shardCount }: Pick<TargetPlan, 'definition' | 'shardCount'>,
  { dataNodes }: Pick<ShardRoom, 'dataNodes'>,
): number {
  const others = Math.max(0, dataNodes - 1);
  const numberOf = (name: string, usual: number): number => {
    const number = Number(ownValue(settings, name) ?? usual);
    return Number.isFinite(number) ? number : others;
  };
  const upTo = (name: string): number => {
    const upper = /-(\d+|all)$/.exec(textOf(ownValue(settings, name)))?.[1];
    return upper === undefined ? 0 : Math.min(others, upper === 'all' ? others : Number(upper));
  };
  const copies = Math.max(
    numberOf('index.number_of_replicas', usualReplicas),
    upTo('index.auto_expand_replicas'),
  );
  const searchers = Math.max(
    numberOf('index.number_of_search_replicas', 0),
    upTo('index.auto_expand_search_replicas'),
  );
  return shardCount * (1 + copies + searchers);
}
