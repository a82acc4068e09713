import type { Snapshot } from '@aosc/contract';
import { isClusterError } from '../../ports/cluster-error';
import { SnapshotLostError } from '../errors';
import { retryingReads } from '../session/retrying-reads';
import type { ShardSession } from '../session/shard-session';
import { keepAliveOf } from '../snapshot/open-on-copy';

/** A read of a point in time, with {@link retryingReads}. @throws SnapshotLostError when the point in time is gone */
export function onSnapshot<T>(
  session: ShardSession,
  read: Parameters<typeof retryingReads<T>>[1],
): Promise<T> {
  return reportLoss(retryingReads(session, read));
}

/** @throws SnapshotLostError when the point in time is gone */
export function reportLoss<T>(reading: Promise<T>): Promise<T> {
  return reading.catch((error: unknown) => {
    throw isClusterError(error, 'snapshot_lost')
      ? new SnapshotLostError(error.message, { cause: error })
      : error;
  });
}

/**
 * Checks that the point in time is still there, and extends it. It gets the full keep-alive only if a record names it.
 * @throws SnapshotLostError
 */
export async function touchSnapshot(session: ShardSession, snapshot: Snapshot): Promise<void> {
  const { snapshots } = session.context.source;
  await onSnapshot(session, (call) => snapshots.extend(snapshot.pitId, keepAliveOf(session, snapshot), call));
}
