import { NewerVersionError, type ShardRecord } from '@aosc/contract';
import {
  beginCatchUp,
  failShard,
  forgetLostOwners,
  isReplayingPhase,
  jobOfShardPhase,
  type ShardJobKind,
} from '@aosc/domain';
import { isClusterError } from '../../ports/cluster-error';
import { runBackfill } from './backfill';
import { runCatchUp } from './catch-up';
import type { JobResult, ShardContext } from '../context';
import { OwnershipLostError, PrimaryElsewhereError, ShardFailedError } from '../errors';
import { closeOlderEpochs } from '../fence/fence';
import { Heartbeat } from './heartbeat';
import { runReplaySlice } from './replay';
import { lookAtResting } from './resting-look';
import { retryingReads } from '../session/retrying-reads';
import { type ClaimRequest, claimShard } from '../session/claim-shard';
import { lookAtSource, type SourceLook } from '../snapshot/source-look';
import type { WorkSignals } from '../session/owned-record';
import type { ShardWork } from '../write/shard-work';

/** Called when the scheduler may have something to decide, with the phase that the shard is in now. */
export type OnProgress = (phase: ShardRecord['phase']) => Promise<void>;

/**
 * How soon a job that was refused a permit asks again. This is rare: the queue only starts jobs whose permit it knows
 * to be free.
 */
const permitRefused: JobResult = { type: 'again', delayMs: 1000 };
/** How soon a shard that waits for another one under the write block asks again. */
const catchUpPollMs = 50;

/**
 * Runs one job on one shard: claim, fence, work, hand back. A look at a converged shard that needs no round takes no
 * claim. However this job ends, the next job can go on from the record. If a killed process or a lost lock has left the
 * claim behind, the next job first waits until the owner counts as dead.
 * @param owner unique for this job in this process
 * @throws the signal's reason on shutdown or a lost lock; the job then has to be queued again
 */
export async function runShardJob(
  kind: ShardJobKind,
  context: ShardContext,
  owner: string,
  signals: WorkSignals,
  onProgress: OnProgress,
): Promise<JobResult> {
  const { migration, store, shard } = context;
  if (!migration.targetPrepared) return { type: 'done' };
  // The replay ended while this job rested in the queue. The job must not take the shard from the job of the last
  // round.
  if (kind === 'replay' && !isReplayingPhase(migration.phase)) return { type: 'done' };
  if (kind === 'catch_up' && migration.finalSeqNos?.[String(shard)] === undefined) return { type: 'done' };
  if (kind !== 'replay') return claimAndWork(kind, context, owner, signals, onProgress);
  const known = context.known ?? (await store.readShard(migration.key, shard, { signal: signals.stop }));
  if (known === undefined) return { type: 'done' };
  const restMs = await lookAtResting(context, known, signals.stop);
  if (restMs !== undefined) return { type: 'again', delayMs: restMs };
  return claimAndWork(kind, { ...context, known }, owner, signals, onProgress);
}

async function claimAndWork(
  ...[kind, context, owner, signals, onProgress]: Parameters<typeof runShardJob>
): Promise<JobResult> {
  const { timing, log, shard } = context;
  const look = lookAhead(kind, context, signals);
  const request = claimOf(kind, context);
  const claim = await claimShard(context, owner, signals, kind, request).catch((error: unknown) => {
    // If the queue's lock on the job is lost, the job ends without an error: the process that has the lock now goes on.
    // After a shutdown this throws, so that the job is queued again.
    if (signals.kill.aborted && !signals.stop.aborted) return { type: 'finished' } as const;
    throw error;
  });
  if (claim.type === 'finished') return { type: 'done' };
  // The owner is alive, or died a moment ago. To ask again soon is cheap.
  if (claim.type === 'busy')
    return { type: 'again', delayMs: kind === 'catch_up' ? catchUpPollMs : timing.heartbeatMs };
  const { session } = claim;
  // After a takeover the session first drains the old owner's bulks, so a look taken earlier is stale.
  if (look !== undefined && !claim.takeover) session.keepLook(look);
  if (claim.takeover) {
    log.info('shard_taken_over', 'its last owner showed no life', { shard, epoch: session.epoch });
    context.metrics.ownerLost('silent');
  }
  const beating = new AbortController();
  const heartbeat = new Heartbeat(session, context).run(
    AbortSignal.any([beating.signal, session.killSignal]),
  );
  heartbeat.catch((error: unknown) =>
    session.fail(error instanceof Error ? error : new Error(String(error))),
  );
  let reportedPhase = session.record.phase;
  const reportPhase = async (): Promise<void> => {
    if (session.record.phase === reportedPhase) return;
    reportedPhase = session.record.phase;
    await onProgress(reportedPhase);
  };
  try {
    const result = await work(kind, session, session.context);
    beating.abort();
    // A job without a permit has not shown that it can go on, so the record keeps the count of owners that were lost.
    if (session.isOwned) await session.release(result === permitRefused ? undefined : forgetLostOwners);
    // A round that leaves the shard in its phase gives the scheduler nothing to decide.
    await reportPhase();
    return result;
  } catch (error) {
    beating.abort();
    return await endAfterError(session, session.failure ?? error, onProgress).catch((later: unknown) => {
      // Ending after the failure writes the record, and can find that another process owns the shard by now.
      if (!(later instanceof OwnershipLostError)) throw later;
      return endAfterError(session, later, onProgress);
    });
  } finally {
    beating.abort();
  }
}

/**
 * Under the write block the source stands still, so the job can look at it already during the claim. Applications wait
 * for each request, so this saves them time.
 */
function lookAhead(
  kind: ShardJobKind,
  context: ShardContext,
  { stop, kill }: WorkSignals,
): Promise<SourceLook> | undefined {
  if (kind !== 'catch_up') return undefined;
  const look = lookAtSource(context, AbortSignal.any([stop, kill]));
  // The job never awaits this look if the shard needs no snapshot, or another process owns it.
  look.catch(() => undefined);
  return look;
}

/**
 * Under the write block a job replaces a dead owner after a few missed beats. Before the block a job has time to watch
 * the record: this tells a dead owner from an owner with another clock.
 */
function claimOf(kind: ShardJobKind, { timing, clock }: ShardContext): ClaimRequest {
  if (kind !== 'catch_up') return timing;
  const staleAfterMs = Math.min(timing.staleAfterMs, Math.max(2.5 * timing.heartbeatMs, 3000));
  return { staleAfterMs, confirmMs: 0, begin: (record) => beginCatchUp(record, clock.now()) };
}

async function work(kind: ShardJobKind, session: ShardWork, context: ShardContext): Promise<JobResult> {
  // A job that was queued for an earlier phase has nothing to do: the scheduler queues the right one.
  if (jobOfShardPhase[session.record.phase] !== kind) return { type: 'done' };
  const { permit } = context;
  if (kind === 'backfill' && permit !== undefined) {
    const isGranted = await retryingReads(session, (call) => permit.isGranted(call));
    session.assertOwned();
    if (!isGranted) return permitRefused;
  }
  await retryingReads(session, () => closeOlderEpochs(session));
  switch (kind) {
    case 'backfill':
      await runBackfill(session, context);
      return { type: 'done' };
    case 'replay':
      return runReplaySlice(session, context);
    case 'catch_up': {
      const final = context.migration.finalSeqNos?.[String(session.context.shard)];
      // The phase is read after the claim. A scheduler that undoes the cutover either sees this owner and takes the
      // shard from it, or has changed the phase before this read.
      const isWanted = await retryingReads(session, () =>
        session.migrationIsIn((phase) => phase === 'CATCHING_UP'),
      );
      if (final === undefined || !isWanted) return { type: 'done' };
      // Applications are blocked, so the job asks again soon. Until then the worker's slot is free for another shard.
      const isDone = await runCatchUp(session, final);
      return isDone ? { type: 'done' } : { type: 'again', delayMs: catchUpPollMs };
    }
  }
}

/**
 * Ends a job that an error has stopped. A failure fails the shard, a shutdown hands the shard back, and a lost claim
 * leaves everything as it is. A record of a later version is no failure: a process of that version has written it, and
 * goes on.
 */
async function endAfterError(session: ShardWork, error: unknown, onProgress: OnProgress): Promise<JobResult> {
  const { log, clock, shard, timing } = session.context;
  const handBack = async (): Promise<JobResult> => {
    await session.release();
    return { type: 'again', delayMs: timing.heartbeatMs };
  };
  if (error instanceof OwnershipLostError || session.killSignal.aborted) {
    log.warn('shard_lost', 'stopping: the shard is no longer ours', { shard, reason: String(error) });
    // Work under way ends with an error of its own when the shard is lost, so the signal's reason counts as well.
    const causes: readonly unknown[] = [error, session.killSignal.reason];
    return { type: 'done', lost: causes.some((cause) => cause instanceof OwnershipLostError) };
  }
  if (session.signal.aborted && session.failure === undefined) {
    await session.release();
    throw error;
  }
  if (error instanceof PrimaryElsewhereError) {
    log.info('backfill_moved', 'the job ends, and is queued for the node that holds the primary now', {
      reason: error.message,
    });
    await session.release();
    await onProgress(session.record.phase);
    return { type: 'done' };
  }
  if (isClusterError(error, 'transient', 'overload')) {
    log.warn('job_gives_up', "the shard's record stays out of reach: the job is queued again", {
      reason: error.message,
    });
    return handBack();
  }
  if (error instanceof NewerVersionError) {
    log.warn('job_gives_up', 'the shard is left to a process that can read the records', {
      reason: error.message,
    });
    return handBack();
  }
  log.error('shard_failed', 'the shard can not go on', error, { shard });
  const reason = error instanceof Error ? error.message : String(error);
  await session.update((record) => failShard(record, reason, clock.now()));
  await session.release();
  await onProgress(session.record.phase);
  if (!(error instanceof ShardFailedError) && !isClusterError(error)) throw error;
  return { type: 'done' };
}
