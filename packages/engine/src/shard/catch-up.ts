import { moveShard } from '@aosc/domain';
import type { ShardRecord } from '@aosc/contract';
import type { ShardContext } from './context';
import { beginCounters, changeCounters, completeCounters } from './counters';
import { ShardFailedError } from './errors';
import { describeFlow } from './live-figures';
import { closeListed } from './resync';
import { retryingReads } from './retrying-reads';
import type { ShardSession } from './shard-session';
import { ShardWriter } from './shard-writer';
import { readPrimaryCheckpoint } from './snapshot-lease';
import { stepToNextSnapshot } from './snapshot-step';

const maxRounds = 5;

/**
 * CONVERGED → CATCHING_UP → COMPLETING, under the write block: the last round, to a snapshot of the final
 * checkpoint. The scheduler has refreshed the source after the block was confirmed, so the shard's own refresh has little
 * left to do.
 * @param finalSeqNo the shard's max_seq_no, read under the confirmed block
 */
export async function runCatchUp(
  session: ShardSession,
  context: ShardContext,
  finalSeqNo: number,
): Promise<void> {
  const { clock, log, shard } = context;
  if (session.record.phase === 'CONVERGED') {
    await session.update((record) => {
      // A job that died between its first round after the convergence and the look at the gap has left them running.
      const converged = completeCounters(record, 'convergence', clock.now());
      return beginCounters(moveShard(converged, 'CATCHING_UP', clock.now()), 'catchingUp', clock.now());
    });
  }
  if (session.record.phase === 'CATCHING_UP') {
    await reachFinalSnapshot(session, finalSeqNo);
    log.info('catchup_complete', 'the target holds the final snapshot of the shard', { shard, finalSeqNo });
  }
}

/** COMPLETING → COMPLETED: closes what the shard still holds and hands it back. Off the clock: the swap does not wait. */
export async function finishShard(session: ShardSession, context: ShardContext): Promise<void> {
  await closeListed(session);
  await session.release((record) => moveShard(record, 'COMPLETED', context.clock.now()));
}

/** Leaves the shard in COMPLETING. */
async function reachFinalSnapshot(session: ShardSession, finalSeqNo: number): Promise<void> {
  const { context } = session;
  const { pacing } = session;
  const writer = new ShardWriter(session, pacing.controller);
  session.readFigures = () => ({ flow: describeFlow(writer, pacing), progress: undefined });
  const whenReached = (record: ShardRecord): ShardRecord =>
    isFinal(record, finalSeqNo) ? completeCatchUp(record, finalSeqNo, context.clock.now()) : record;
  for (let round = 0; ; round++) {
    // A repair ends without `whenReached`.
    if (isFinal(session.record, finalSeqNo)) await session.update(whenReached);
    if (session.record.phase === 'COMPLETING') return;
    if (round === maxRounds) break;
    await stepToNextSnapshot(session, writer, pacing, { counters: 'catchingUp', whenReached });
  }
  const now = await retryingReads(session, () => readPrimaryCheckpoint(session.context, session.signal));
  throw new ShardFailedError(
    `source shard [${session.context.shard}] does not stand still at ${finalSeqNo} under the write block ` +
      `(max_seq_no ${now.maxSeqNo}, global checkpoint ${now.globalCheckpoint}): was the block lifted by somebody?`,
  );
}

/** A snapshot whose checkpoint is the final number shows every operation there will be, and none after it. */
function isFinal(record: ShardRecord, finalSeqNo: number): boolean {
  const { snapshot, nextSnapshot, sweepPending } = record;
  return (
    snapshot !== undefined &&
    nextSnapshot === undefined &&
    !sweepPending &&
    snapshot.checkpoint === finalSeqNo &&
    snapshot.seenMaxSeqNo === finalSeqNo
  );
}

function completeCatchUp(record: ShardRecord, finalSeqNo: number, now: number): ShardRecord {
  const { snapshot, ...rest } = record;
  // What the source was ahead after a round in which nothing converged yet: it is ahead no more.
  const counted = (['replay', 'convergence', 'catchingUp'] as const).reduce<ShardRecord>(
    (changed, name) =>
      changed[name] === undefined
        ? changed
        : changeCounters(changed, name, (counters) => ({ ...counters, currentGap: 0 })),
    rest,
  );
  const done = {
    ...completeCounters(counted, 'catchingUp', now),
    lastReplayedSeqNo: finalSeqNo,
    targetSeqNo: finalSeqNo,
    closingPitIds: [...record.closingPitIds, ...(snapshot === undefined ? [] : [snapshot.pitId])],
  };
  return moveShard(done, 'COMPLETING', now);
}
