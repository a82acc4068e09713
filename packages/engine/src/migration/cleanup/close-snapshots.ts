import type { MigrationRecord } from '@aosc/contract';
import { unlessConflict } from '../../ports/compare-and-set';
import { afterClosing, pitIdsToClose, wasLateClosed } from '../../shard/snapshot/late-closes';
import { retryAllocations } from '../../shard/snapshot/retry-allocations';
import type { StepContext } from '../step/context';

/**
 * Closes what the shard records list as no longer needed. What is on a node that is away stays listed, and nobody waits
 * for it: the guard tries again. When such a one is closed at last, allocations are tried again.
 * @returns false: to be asked again
 */
export async function closeSnapshots(context: StepContext, record: MigrationRecord): Promise<boolean> {
  const { store, source, signal, clock } = context;
  const shards = await store.readShards(record.key, record.sourceShardCount, { signal });
  let wasLate = false;
  for (const stored of shards) {
    const ids = pitIdsToClose(stored.record);
    if (ids.length === 0) continue;
    const left = await source.snapshots.close(ids, { signal });
    wasLate ||= wasLateClosed(stored.record, left);
    const after = afterClosing(stored.record, ids, left, clock.now());
    if ((await unlessConflict(() => store.replaceShard(stored, after, { signal }))) === undefined)
      return false;
  }
  if (wasLate) await retryAllocations(source.cluster, context, signal);
  return true;
}
