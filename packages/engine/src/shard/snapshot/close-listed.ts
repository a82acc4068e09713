import { afterClosing, pitIdsToClose, wasLateClosed } from '@aosc/domain';
import type { ShardSession } from '../session/shard-session';
import { retryAllocations } from './retry-allocations';
import { tryCloseSnapshots } from './snapshot-lease';

/**
 * Closes the points in time that the record lists as no longer needed; the next write of the record says so. Each call
 * tries again to close those whose node was away. Such a point in time kept the lock of a copy that was to come back to
 * its node, and the copy may have used up its tries. So after a late closing this asks the cluster to allocate the copy
 * again.
 */
export async function closeListed(session: ShardSession): Promise<void> {
  const ids = [...pitIdsToClose(session.record), ...session.unclosed.splice(0)];
  if (ids.length === 0) return;
  const { context } = session;
  const left = await tryCloseSnapshots(context.source.snapshots, ids);
  const wasLate = wasLateClosed(session.record, left);
  if (left.length > 0) {
    context.log.warn('close_failed', 'points in time are tried to be closed again: their node is away', {
      shard: context.shard,
      snapshots: left.length,
    });
  }
  if (wasLate) await retryAllocations(context.source.cluster, context, session.signal);
  session.defer((record) => afterClosing(record, ids, left, context.clock.now()));
}
