import { loseSnapshot } from '@aosc/domain';
import { ShardFailedError, SnapshotLostError } from '../errors';
import { closeListed } from '../snapshot/close-listed';
import { retryAllocations } from '../snapshot/retry-allocations';
import type { ShardSession } from '../session/shard-session';
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
 * A sweep compares the target with the source by the documents' ids. Where a transform may rewrite ids, it would delete
 * copies that belong there, also those of other shards.
 * @throws ShardFailedError where a transform may rewrite ids
 */
export function assertMaySweep(session: ShardSession, whyLost: string): void {
  if (!rewritesIdentity(session)) return;
  throw new ShardFailedError(
    `the snapshot of source shard [${session.context.shard}] was lost (${whyLost}), and the transform may rewrite ids: ` +
      'nothing shows any more what the target holds of documents that are gone from the source. Start again into ' +
      'an empty target',
  );
}

/** Notes in the record that the snapshot is lost (`loseSnapshot`), and closes what is left of it. */
export async function recordLoss(session: ShardWork, cause: Error): Promise<void> {
  const { context } = session;
  if ((session.record.lossesInARow ?? 0) >= maxLosses) {
    throw new ShardFailedError(
      `the snapshot of source shard [${context.shard}] was lost ${maxLosses} times in a row; last: ${cause.message}. ` +
        'Does something close points in time, or is the source node unstable?',
    );
  }
  assertMaySweep(session, cause.message);
  context.log.warn(
    'snapshot_lost',
    'the snapshot is gone: copying again from its checkpoint, then sweeping',
    {
      shard: context.shard,
      resumeAtSeqNo: loseSnapshot(session.record).copy?.fromSeqNo,
      reason: cause.message,
    },
  );
  await session.update(loseSnapshot);
  await closeListed(session);
  await session.update();
  await retryAllocations(context.source.cluster, context, session.signal);
}
