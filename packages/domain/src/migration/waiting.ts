import { jobOfShardPhase } from '../shard/transitions';
import type { MigrationRecord, ShardRecord } from '@aosc/contract';

/**
 * What a migration waits for before any of its shards can go on; undefined: for nothing but its own work.
 * @param workers how many worker processes take jobs
 * @param permits the setting `aosc.backfill.max_concurrent_per_node`
 */
export function findWaitingReason(
  shards: readonly ShardRecord[],
  { workers, permits }: { readonly workers: number; readonly permits: number },
): 'worker' | 'permit' | undefined {
  const waiting = shards.filter(({ phase }) => jobOfShardPhase[phase] !== undefined);
  if (waiting.length === 0) return undefined;
  if (workers === 0) return 'worker';
  // Whoever holds a permit keeps it, and shards whose backfill is done go on without.
  const needsPermit = ({ phase, writer }: ShardRecord): boolean =>
    jobOfShardPhase[phase] === 'backfill' && writer.owner === undefined;
  return permits === 0 && waiting.some(needsPermit) && !waiting.some(isCopying) ? 'permit' : undefined;
}

/** What is shown of it: that nobody is there to work explains everything else. */
export function shownWaiting({
  waitingFor,
  heldUp,
}: Pick<MigrationRecord, 'waitingFor' | 'heldUp'>): MigrationRecord['waitingFor'] {
  return waitingFor ?? heldUp;
}

const isCopying = ({ phase, writer }: ShardRecord): boolean =>
  jobOfShardPhase[phase] === 'backfill' && writer.owner !== undefined;
