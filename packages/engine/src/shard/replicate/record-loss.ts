import { ShardFailedError, SnapshotLostError } from '../errors';
import { closeListed } from '../snapshot/close-listed';
import { withSnapshotsGivenUp } from '../snapshot/late-closes';
import { retryAllocations } from '../snapshot/retry-allocations';
import type { ShardWork } from '../write/shard-work';
import { rewritesIdentity } from '../write/transform';

const maxLosses = 50;

/** Runs work on the shard's snapshots. @returns undefined: a snapshot was lost, and the record says so by now */
export async function unlessLost<T>(session: ShardWork, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SnapshotLostError)) throw error;
    await recordLoss(session, error);
    return undefined;
  }
}

/**
 * Notes in the record that the snapshot is lost. The copy resumes at the lower of the watermark and the lost snapshot's
 * checkpoint + 1. When the lost snapshot was opened, operations above its checkpoint were still in flight. A new
 * snapshot may show such operations below the watermark, so the copy reads that part again.
 */
export async function recordLoss(session: ShardWork, cause: Error): Promise<void> {
  const { context } = session;
  const { snapshot, copy, snapshotsLost } = session.record;
  if (snapshotsLost >= maxLosses) {
    throw new ShardFailedError(
      `the snapshot of source shard [${context.shard}] was lost ${maxLosses} times; last: ${cause.message}. ` +
        'Does something close points in time, or is the source node unstable?',
    );
  }
  if (rewritesIdentity(session)) {
    throw new ShardFailedError(
      `the snapshot of source shard [${context.shard}] was lost (${cause.message}), and the transform may rewrite ids: ` +
        'nothing shows any more what the target holds of documents that are gone from the source. Start again into ' +
        'an empty target',
    );
  }
  const done = copy?.watermark ?? 0;
  const resumeAt = snapshot === undefined ? done : Math.min(done, snapshot.checkpoint + 1);
  context.log.warn(
    'snapshot_lost',
    'the snapshot is gone: copying again from its checkpoint, then sweeping',
    {
      shard: context.shard,
      resumeAtSeqNo: resumeAt,
      reason: cause.message,
    },
  );
  await session.update((record) => ({
    ...withSnapshotsGivenUp(record),
    sweepPending: true,
    snapshotsLost: record.snapshotsLost + 1,
    copy: { fromSeqNo: resumeAt, watermark: resumeAt, documents: copy?.documents ?? 0 },
  }));
  await closeListed(session);
  await session.update();
  await retryAllocations(context.source.cluster, context, session.signal);
}
