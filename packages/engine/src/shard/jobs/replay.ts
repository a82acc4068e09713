import { isReplayingPhase, moveShard } from '@aosc/domain';
import type { ShardContext } from '../context';
import { changeCounters, completeCounters, type CounterName } from '../counters';
import { ShardFailedError, SnapshotLostError } from '../errors';
import { describeFlow } from '../session/live-progress';
import { closeListed, recordLoss } from '../replicate/recopy';
import { retryingReads } from '../session/retrying-reads';
import type { ShardSession } from '../session/shard-session';
import { ShardWriter } from '../write/shard-writer';
import { readPrimaryCheckpoint, retryAllocations } from '../snapshot/snapshot-lease';
import { stepToNextSnapshot } from './snapshot-step';
import { touchSnapshot } from '../read/on-snapshot';

/** When the next slice should run. */
export interface SliceResult {
  readonly again: boolean;
  readonly delayMs: number;
}

/**
 * CONVERGING → CONVERGED, and on from there: replays in rounds until the gap is at most the threshold, then
 * quietly one round at a time so that the gap stays small until cutover. A slice is bounded in time; a
 * converged shard's slice is one round.
 */
export async function runReplaySlice(session: ShardSession, context: ShardContext): Promise<SliceResult> {
  const { clock, timing } = context;
  const { pacing } = session;
  const writer = new ShardWriter(session, pacing.controller);
  session.progress.measure(() => ({ flow: describeFlow(writer.flow(), pacing), progress: undefined }));
  const deadline = clock.monotonic() + timing.sliceMs;
  for (;;) {
    if (!(await retryingReads(session, () => session.migrationIsIn(isReplayingPhase))))
      return { again: false, delayMs: 0 };
    const started = clock.monotonic();
    if ((await hasWork(session)) || !(await snapshotIsAlive(session))) {
      const left = session.record.snapshot?.allocationId;
      await stepToNextSnapshot({ session, writer }, { counters: countersOf(session) });
      await closeListed(session);
      // Up to now the snapshot held the lock of a copy that is primary no more and may have wanted back in vain.
      if (left !== undefined && left !== session.record.snapshot?.allocationId) {
        await retryAllocations(context.source.cluster, context, session.signal);
      }
    }
    await evaluateGap(session);
    const rest = Math.max(0, started + timing.replayIntervalMs - clock.monotonic());
    if (session.record.phase === 'CONVERGED') return { again: true, delayMs: rest };
    if (clock.monotonic() + rest >= deadline) return { again: true, delayMs: rest };
    await clock.sleep(rest, session.signal);
  }
}

/** The first round after the backfill is the contract's `replay`, all later ones are `convergence`. */
function countersOf(session: ShardSession): CounterName {
  return session.record.replay?.status === 'COMPLETED' ? 'convergence' : 'replay';
}

/**
 * Nobody reads from the snapshot of a shard at rest, so its expiry is pushed away here; found lost, it is repaired
 * now and not under the write block.
 */
async function snapshotIsAlive(session: ShardSession): Promise<boolean> {
  const { snapshot } = session.record;
  if (snapshot === undefined) return false;
  try {
    await touchSnapshot(session, snapshot);
    return true;
  } catch (error) {
    if (!(error instanceof SnapshotLostError)) throw error;
    await recordLoss(session, error);
    return false;
  }
}

/** A shard without new operations since its snapshot needs no refresh and no round. */
async function hasWork(session: ShardSession): Promise<boolean> {
  const { snapshot, nextSnapshot, sweepPending } = session.record;
  if (snapshot === undefined || nextSnapshot !== undefined || sweepPending) return true;
  if (session.record.replay === undefined) return true;
  const now = await retryingReads(session, () => readPrimaryCheckpoint(session.context, session.signal));
  return (
    now.maxSeqNo !== snapshot.seenMaxSeqNo ||
    now.nodeId !== snapshot.nodeId ||
    now.historyUuid !== snapshot.historyUuid ||
    // operations were in flight when the snapshot was opened: it may not show all of them
    snapshot.checkpoint < snapshot.seenMaxSeqNo
  );
}

/** Books the gap, converges when it is small, and only then minds the limit of rounds. */
async function evaluateGap(session: ShardSession): Promise<void> {
  const { clock, migration, log, shard } = session.context;
  const now = await retryingReads(session, () => readPrimaryCheckpoint(session.context, session.signal));
  const { convergenceThresholdPerShard, maxConvergenceRoundsPerShard } = migration.options;
  const snapshot = session.record.snapshot;
  if (snapshot === undefined || now.state !== 'STARTED') return;
  const gap = Math.max(0, now.maxSeqNo - Math.max(snapshot.checkpoint, snapshot.maxSeqNo));
  const converges = session.record.phase === 'CONVERGING' && gap <= convergenceThresholdPerShard;
  await session.update((record) => {
    const name = record.convergence === undefined ? 'replay' : 'convergence';
    let changed =
      record[name] === undefined ? record : changeCounters(record, name, (c) => ({ ...c, currentGap: gap }));
    changed = { ...completeCounters(changed, 'replay', clock.now()), targetSeqNo: now.globalCheckpoint };
    // A shard that converged in its first round begins these counters later.
    if (converges || record.phase === 'CONVERGED') {
      changed = completeCounters(changed, 'convergence', clock.now());
    }
    return converges ? moveShard(changed, 'CONVERGING', 'CONVERGED', clock.now()) : changed;
  });
  if (converges) log.info('convergence_signalled', 'the gap is at most the threshold', { shard, gap });
  const rounds = session.record.convergence?.rounds ?? 0;
  if (session.record.phase === 'CONVERGING' && rounds >= maxConvergenceRoundsPerShard) {
    throw new ShardFailedError(
      `Convergence rounds exceeded limit: ${rounds} >= ${maxConvergenceRoundsPerShard} (gap ${gap}, threshold ` +
        `${convergenceThresholdPerShard}); lower the write rate or raise options.max_convergence_rounds_per_shard`,
    );
  }
}
