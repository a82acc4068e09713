import { afterClosing, lateIdsOf, pitIdsToClose, wasLateClosed } from '@aosc/domain';
import type { ShardRecord } from '@aosc/contract';
import { unlessConflict } from '../../ports/compare-and-set';
import type { Stored } from '../../ports/store-port';
import { retryAllocations } from '../../shard/snapshot/retry-allocations';
import type { MigrationView, StepContext } from '../step/context';

interface Closing {
  /** closes points in time by their ids, and returns the ids of those that may still be open */
  readonly close: (pitIds: readonly string[]) => Promise<readonly string[]>;
  /** which points in time of a record to close; left out: all that the record lists for closing */
  readonly idsOf?: typeof pitIdsToClose;
  /** a further change of the record, after the closing and before the write */
  readonly toWrite?: (closed: ShardRecord, nowMillis: number) => ShardRecord;
}

/**
 * Closes the points in time that the shards' records list for closing, and writes the records. A point in time on a
 * node that is away stays listed. When a later call closes this point in time, that call asks the cluster to try failed
 * allocations again: a copy of the shard may have waited for the lock that the point in time kept.
 * @returns the shards as they were written; undefined in the place of a shard that another process has written
 */
export async function closeListed(
  context: StepContext,
  shards: MigrationView['shards'],
  { close, idsOf = pitIdsToClose, toWrite = (closed) => closed }: Closing,
): Promise<readonly (Stored<ShardRecord> | undefined)[]> {
  const { store, source, signal, clock } = context;
  const results = await Promise.all(
    shards.map(async (stored) => {
      const ids = idsOf(stored.record);
      const left = await close(ids);
      const now = clock.now();
      const after = toWrite(afterClosing(stored.record, ids, left, now), now);
      const written = await unlessConflict(() => store.replaceShard(stored, after, { signal }));
      return { written, wasLate: wasLateClosed(stored.record, left) };
    }),
  );
  if (results.some(({ wasLate }) => wasLate)) await retryAllocations(source.cluster, context, signal);
  return results.map(({ written }) => written);
}

/**
 * `closeListed` for all shards of a migration at its end. Points in time on nodes that are away stay listed: an abort
 * does not wait for these nodes, and `guard` tries again.
 * @returns false: another process wrote a shard's record during this call, ask again
 * @param onlyLate closes only points in time that an earlier try could not close
 */
export async function closeSnapshots(
  context: StepContext,
  { key, sourceShardCount }: Pick<MigrationView['record'], 'key' | 'sourceShardCount'>,
  { onlyLate = false }: { readonly onlyLate?: boolean } = {},
): Promise<boolean> {
  const idsOf = onlyLate ? lateIdsOf : pitIdsToClose;
  const { store, source, signal } = context;
  const shards = await store.readShards(key, sourceShardCount, { signal });
  const written = await closeListed(
    context,
    shards.filter(({ record }) => idsOf(record).length > 0),
    { idsOf, close: (ids) => source.snapshots.close(ids, { signal }) },
  );
  return written.every((stored) => stored !== undefined);
}
