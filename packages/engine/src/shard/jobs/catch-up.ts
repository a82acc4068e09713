import {
  endCatchUp,
  isAtFinalSnapshot,
  isCaughtUp,
  isFinalSnapshot,
  isHeld,
  sharesPlaces,
} from '@aosc/domain';
import type { ShardRecord } from '@aosc/contract';
import { ShardFailedError } from '../errors';
import { unlessLost } from '../replicate/record-loss';
import { recopy } from '../replicate/recopy';
import { awaitQuiet } from '../fence/await-quiet';
import { retryingReads } from '../session/retrying-reads';
import type { ShardWork } from '../write/shard-work';
import { checkContested, needsNoCheck } from '../replicate/check-contested';
import { readPrimaryCheckpoint } from '../snapshot/source-look';
import { type StepRequest, stepToNextSnapshot } from './snapshot-step';

const maxRounds = 5;

/**
 * CATCHING_UP → COMPLETING, under the write block: the last round, to a snapshot of the final checkpoint. The write
 * that records the end also hands the shard back. The job leaves the shard's points in time open: if the service undoes
 * the cutover soon, the shard goes on from its final snapshot.
 * @param finalSeqNo the shard's max_seq_no, read under the confirmed block, or under the hold
 * @returns false: the shard needs a further job. Other shards may still write over what this shard has written, so this
 *   shard keeps its final snapshot until they are done. Or writes still pass the hold, so the shard has no final
 *   snapshot yet
 */
export async function runCatchUp(session: ShardWork, finalSeqNo: number): Promise<boolean> {
  const { context } = session;
  let isComplete = !sharesPlaces(context.migration);
  // A hold makes writes to the source wait before there is a block, but some writes pass it (`isHeld`). So under a hold
  // the shard finds its last number by itself, and the block later proves that no write followed.
  const isUnderHold = isHeld(context.migration);
  const finalOf = ({ snapshot }: ShardRecord): number =>
    isUnderHold ? Math.max(finalSeqNo, snapshot?.seenMaxSeqNo ?? -1) : finalSeqNo;
  const unclosed: string[] = [];
  const whenReached = (record: ShardRecord): ShardRecord => {
    const final = finalOf(record);
    if (!isComplete || !isAtFinalSnapshot(record, final)) return record;
    // After a conflict `whenReached` runs again: `unclosed` keeps what the first run has taken from the session.
    unclosed.push(...session.unclosed.splice(0));
    return session.handedBack(endCatchUp(record, { finalSeqNo: final, unclosed }, context.clock.now()));
  };
  const step: StepRequest = {
    counters: 'catchingUp',
    beforeEnd: async (next, contested) => {
      if (!isComplete && isFinalSnapshot(next, finalSeqNo)) {
        isComplete = await needsNoCheck(session, contested);
        // Other shards that write to the same places wait until no node can carry out a bulk of this shard a second
        // time. This shard must make sure of that before it ends: no later job would do so.
        if (isComplete) await awaitQuiet(session);
      }
      return whenReached;
    },
  };
  for (let round = 0; ; round++) {
    // The shard can be at its final snapshot and still CATCHING_UP: a repair does not call `whenReached`, and a round
    // may have left something to check.
    if (isAtFinalSnapshot(session.record, finalOf(session.record))) {
      if (!isComplete) {
        await awaitQuiet(session);
        isComplete = await checkOrRecopy(session);
        await awaitQuiet(session);
      }
      if (!isComplete) return false;
      await session.update(whenReached);
    }
    // After a lost answer to the last write the phase may even be COMPLETED: by now the scheduler may have ended the
    // shard.
    if (isCaughtUp(session.record.phase)) {
      const { log, shard } = context;
      log.info('catchup_complete', 'the target holds the final snapshot of the shard', { shard, finalSeqNo });
      return true;
    }
    if (round === maxRounds) break;
    await stepToNextSnapshot(session, step);
  }
  // Further jobs go on until the scheduler ends the hold.
  if (isUnderHold) return false;
  const now = await retryingReads(session, () => readPrimaryCheckpoint(session.context, session.signal));
  throw new ShardFailedError(
    `source shard [${session.context.shard}] does not stand still at ${finalSeqNo} under the write block ` +
      `(max_seq_no ${now.maxSeqNo}, global checkpoint ${now.globalCheckpoint}): was the block lifted by another client?`,
  );
}

/** If the final snapshot was lost while the shard waited, the shard copies again. The next job goes on from there. */
async function checkOrRecopy(session: ShardWork): Promise<boolean> {
  const isComplete = await unlessLost(session, () => checkContested(session));
  if (isComplete === undefined) await recopy(session);
  return isComplete ?? false;
}
