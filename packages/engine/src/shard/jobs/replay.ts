import {
  type CounterName,
  endRepair,
  isReplayingPhase,
  noteGap,
  sharesPlaces,
  takeRepair,
  withContested,
} from '@aosc/domain';
import type { PrimaryCheckpoint } from '../../ports/index-state-port';
import type { JobResult, ShardContext } from '../context';
import { ShardFailedError } from '../errors';
import { checkLinkedKeys } from '../replicate/check-linked-keys';
import { unlessLost } from '../replicate/record-loss';
import { repairIds } from '../replicate/sweep-target';
import { closeListed } from '../snapshot/close-listed';
import { retryingReads } from '../session/retrying-reads';
import type { ShardWork } from '../write/shard-work';
import { readPrimaryCheckpoint } from '../snapshot/source-look';
import { retryAllocations } from '../snapshot/retry-allocations';
import { gapOf, hasWholeSnapshot, isRoundDue, restOf } from './replay-need';
import { stepToNextSnapshot } from './snapshot-step';
import { touchSnapshot } from '../read/on-snapshot';

/**
 * CONVERGING → CONVERGED, and on from there. The shard replays in rounds until its gap (how many operations it is
 * behind) is at most the threshold. After that it replays a round whenever it needs one, so the gap stays small until
 * the cutover. A call is a slice, which is bounded in time: for a converged shard one look, and at most one round.
 */
export async function runReplaySlice(session: ShardWork, context: ShardContext): Promise<JobResult> {
  const { clock, timing } = context;
  const deadline = clock.monotonic() + timing.sliceMs;
  for (;;) {
    const areKeysLeft = await unlessLost(session, () => checkLinkedKeys(session, deadline));
    const started = clock.monotonic();
    const look = await lookForWork(session);
    const isDue = look === 'due' || !(await snapshotIsAlive(session));
    // The phase is read after the claim. So either the scheduler in CUTTING_OVER sees this owner and waits for it, or
    // this owner sees CUTTING_OVER and ends. Otherwise this round could run under the write block, beside the last
    // rounds of other shards.
    if (isDue && !(await retryingReads(session, () => session.migrationIsIn(isReplayingPhase)))) {
      return { type: 'done' };
    }
    if (isDue) {
      await replayOnce(session);
      await repair(session);
    }
    const gap = await evaluateGap(session, isDue ? undefined : look);
    if (gap.converges || session.record.phase === 'CONVERGED') {
      const rest = restOf(context, session.record, gap.gap, clock.monotonic() - started);
      return { type: 'again', delayMs: areKeysLeft === false ? rest : 0 };
    }
    await session.update();
    assertMayGoOn(session, gap);
    const rest = Math.max(0, started + timing.replayIntervalMs - clock.monotonic());
    if (clock.monotonic() + rest >= deadline) return { type: 'again', delayMs: rest };
    await clock.sleep(rest, session.signal);
  }
}

async function replayOnce(session: ShardWork): Promise<void> {
  const { context } = session;
  const left = session.record.snapshot?.allocationId;
  await stepToNextSnapshot(session, { counters: countersOf(session) });
  await closeListed(session);
  // Until now the old snapshot held the shard lock of a copy that is no longer primary: the node may have tried in vain
  // to allocate that copy again.
  if (left !== undefined && left !== session.record.snapshot?.allocationId) {
    await retryAllocations(context.source.cluster, context, session.signal);
  }
}

/**
 * Writes again the documents that a verification or a person has named. Documents that are named during this repair
 * wait for the next look.
 */
async function repair(session: ShardWork): Promise<void> {
  const { record } = session;
  if (record.repairIds === undefined || !hasWholeSnapshot(record)) return;
  // Another shard may put a newer document into a place that this repair writes. The record does not name the ids as
  // contested, because a verification does not judge documents with such ids before the swap.
  if (sharesPlaces(session.context.migration) && record.contestedUnknown !== true)
    await session.update((now) => withContested(now, { ids: [], unknown: true }));
  const ids = takeRepair(record);
  const { snapshot } = record;
  const isDone = await unlessLost(session, () => repairIds(session, snapshot, ids).then(() => true));
  // After a loss the ids stay in the record: the next round copies again, and another repair follows.
  if (isDone === true) await session.update((now) => endRepair(now, ids));
}

/** The first round after the backfill is the contract's `replay`, all later ones are `convergence`. */
function countersOf(session: ShardWork): CounterName {
  return session.record.replay?.status === 'COMPLETED' ? 'convergence' : 'replay';
}

/**
 * Extends the snapshot when no round is due. Without a round no job reads from the snapshot, so only this can find that
 * it is lost. The next round then repairs the loss, before the write block.
 */
async function snapshotIsAlive(session: ShardWork): Promise<boolean> {
  const { snapshot } = session.record;
  if (snapshot === undefined) return false;
  const touched = await unlessLost(session, () => touchSnapshot(session, snapshot).then(() => true));
  return touched === true;
}

/** @returns where the primary stands, when no round is due */
async function lookForWork(session: ShardWork): Promise<'due' | PrimaryCheckpoint> {
  const { context, record, signal } = session;
  if (!hasWholeSnapshot(record) || record.repairIds !== undefined) return 'due';
  const now = await retryingReads(session, () => readPrimaryCheckpoint(context, signal));
  return isRoundDue(context, record, now) ? 'due' : now;
}

interface Gap {
  /** undefined: the primary did not answer */
  readonly gap: number | undefined;
  readonly converges: boolean;
}

/**
 * How far the shard is behind, and whether it converges with this gap. The next write of the record notes both.
 * @param seen where the primary stands, if that was read after the shard's current snapshot was opened
 */
async function evaluateGap(session: ShardWork, seen: PrimaryCheckpoint | undefined): Promise<Gap> {
  const { clock, migration, log, shard } = session.context;
  const now =
    seen ?? (await retryingReads(session, () => readPrimaryCheckpoint(session.context, session.signal)));
  const { snapshot, phase } = session.record;
  if (snapshot === undefined || now.state !== 'STARTED') {
    return { gap: undefined, converges: false };
  }
  const gap = gapOf(snapshot, now);
  const converges = phase === 'CONVERGING' && gap <= migration.options.convergenceThresholdPerShard;
  if (converges) log.info('convergence_signalled', 'the gap is at most the threshold', { shard, gap });
  const look = {
    gap,
    converges,
    globalCheckpoint: now.globalCheckpoint,
    isInsteadOfRound: seen !== undefined,
  };
  session.defer((record) => noteGap(record, look, clock.now()));
  return { gap, converges };
}

/**
 * A shard that an undone cutover has brought back has converged before: the rounds of its wait do not count against it,
 * and the wait for the next attempt has a bound of its own.
 * @throws ShardFailedError when a shard that has never converged has used up its rounds
 */
function assertMayGoOn({ context, record }: ShardWork, { gap }: Gap): void {
  const { convergenceThresholdPerShard, maxConvergenceRoundsPerShard } = context.migration.options;
  if (record.transitionHistory.some(({ phase }) => phase === 'CONVERGED')) return;
  const rounds = record.convergence?.rounds ?? 0;
  if (gap === undefined || rounds < maxConvergenceRoundsPerShard) return;
  throw new ShardFailedError(
    `Convergence rounds exceeded limit: ${rounds} >= ${maxConvergenceRoundsPerShard} (gap ${gap}, threshold ` +
      `${convergenceThresholdPerShard}); lower the write rate or raise options.max_convergence_rounds_per_shard`,
  );
}
