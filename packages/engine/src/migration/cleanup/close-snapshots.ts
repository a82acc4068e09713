import type { MigrationRecord } from '@aosc/contract';
import { lateIdsOf, pitIdsToClose } from '../../shard/snapshot/late-closes';
import { retryAllocations } from '../../shard/snapshot/retry-allocations';
import type { StepContext } from '../step/context';
import { closeListed } from './close-listed';

/**
 * Closes what the shard records list as no longer needed. What is on a node that is away stays listed, and nobody waits
 * for it: the guard tries again. When such a one is closed at last, allocations are tried again.
 * @param onlyLate only those that somebody has tried to close before; what else is listed stays open
 * @returns false: to be asked again
 */
export async function closeSnapshots(
  context: StepContext,
  record: MigrationRecord,
  { onlyLate = false }: { readonly onlyLate?: boolean } = {},
): Promise<boolean> {
  const idsOf = onlyLate ? lateIdsOf : pitIdsToClose;
  const { store, source, signal } = context;
  const shards = await store.readShards(record.key, record.sourceShardCount, { signal });
  let isAnyLate = false;
  for (const shard of shards) {
    const ids = idsOf(shard.record);
    if (ids.length === 0) continue;
    const { stored, wasLate } = await closeListed(
      context,
      shard,
      () => source.snapshots.close(ids, { signal }),
      { ids },
    );
    isAnyLate ||= wasLate;
    if (stored === undefined) return false;
  }
  if (isAnyLate) await retryAllocations(source.cluster, context, signal);
  return true;
}
