import type { MigrationRecord } from '@aosc/contract';
import { pitIdsToClose } from '../../shard/snapshot/late-closes';
import { retryAllocations } from '../../shard/snapshot/retry-allocations';
import type { StepContext } from '../step/context';
import { closeListed } from './close-listed';

/**
 * Closes what the shard records list as no longer needed. What is on a node that is away stays listed, and nobody waits
 * for it: the guard tries again. When such a one is closed at last, allocations are tried again.
 * @returns false: to be asked again
 */
export async function closeSnapshots(context: StepContext, record: MigrationRecord): Promise<boolean> {
  const { store, source, signal } = context;
  const shards = await store.readShards(record.key, record.sourceShardCount, { signal });
  let isAnyLate = false;
  for (const shard of shards) {
    if (pitIdsToClose(shard.record).length === 0) continue;
    const { stored, wasLate } = await closeListed(context, shard, (ids) =>
      source.snapshots.close(ids, { signal }),
    );
    isAnyLate ||= wasLate;
    if (stored === undefined) return false;
  }
  if (isAnyLate) await retryAllocations(source.cluster, context, signal);
  return true;
}
