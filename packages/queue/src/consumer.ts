import { randomUUID } from 'node:crypto';
import { setTimeout as sleepFor } from 'node:timers/promises';
import type { RedisAccess } from '@aosc/contract';
import type { WorkSignals } from '@aosc/engine';
import { onAbort, within } from '@aosc/signals';
import { DelayedError, type Job, WaitingError, Worker } from 'bullmq';
import { createConnection } from './connection';
import { LockLostError, LockWatch } from './lock-watch';
import { keyPrefix, rootPrefix } from './queue-names';
import { decideUnworkable } from './unworkable-job';

/** `assertInTime` throws a LockLostError. */
export type JobSignals = WorkSignals;

export type HandlerResult =
  /** `isReported`: the processes that wait for the job already know of its end, or are about to learn it */
  | { readonly type: 'done'; readonly isReported?: boolean }
  | { readonly type: 'again'; readonly delayMs: number };

export interface ConsumerOptions extends RedisAccess {
  readonly prefix: string;
  readonly clusterUuid: string;
  readonly queue: string;
  readonly concurrency: number;
  readonly lockDurationMs: number;
  readonly stalledCheckMs: number;
  /** default: kept */
  readonly shortDelays?: ShortDelays;
  readonly onError: (error: Error) => void;
  /** Called after a job has left the queue, however it ended, except with `isReported`. */
  readonly onJobEnded?: (payload: unknown) => void;
  /** @param owner unique for this run of the job */
  readonly handle: (payload: unknown, owner: string, signals: JobSignals) => Promise<HandlerResult>;
}

export interface Consumer {
  /** Lets running jobs hand back within the grace time, then leaves them for the stalled check. */
  close(graceMs: number): Promise<void>;
}

/**
 * A consumer may spend a shorter delay with the job in hand: BullMQ looks at the delayed jobs of a queue with several
 * slots only once in `drainDelay`, because one slot takes the marker and another waits without it.
 */
const shortDelayMs = 1000;

/** What a job does with its slot when it is to run again shortly. */
type ShortDelays =
  /** keeps its slot */
  | 'kept'
  /** keeps its slot unless other jobs wait for one */
  | 'yielding'
  /** gives it up: an active job holds a permit */
  | 'released';

/** The job's return value in BullMQ's event, by which the other processes learn of its end. */
type JobEnd = 'reported' | 'unreported';

/** When a job that only a later version understands runs again: a process of that version may be there. */
const leftDelayMs = 1000;

/** How long a job may still take after its signal has fired. */
const lastWordsMs = 1000;

/**
 * Takes jobs from one queue. The queue never fails a job for good: stalls count without limit, and the records decide
 * what a failure means, not the queue.
 */
// eslint-disable-next-line max-lines-per-function -- one closure: its short functions share the state above them
export function createConsumer(options: ConsumerOptions): Consumer {
  const connection = createConnection(options, 'patient', options.onError);
  const watch = new LockWatch(options.lockDurationMs, options.onError);
  const stop = new AbortController();
  const isStopping = () => stop.signal.aborted;

  const reported = new Set<string>();
  const reportOnce = (error: unknown): void => {
    if (!(error instanceof Error) || reported.has(error.message)) return;
    reported.add(error.message);
    options.onError(error);
  };

  const run = async (job: Job<unknown>, token: string, stopped: AbortSignal): Promise<JobEnd> => {
    // Puts the job first in line again, instead of leaving it for another process's stalled check.
    const handBack = async (): Promise<never> => {
      await job.moveToWait(token);
      throw new WaitingError();
    };
    // A slot that was waiting for jobs may take a job that another slot has just handed back.
    if (isStopping()) return handBack();
    const keepsSlot = async (): Promise<boolean> => {
      const { shortDelays = 'kept' } = options;
      if (shortDelays !== 'yielding') return shortDelays === 'kept';
      return (await connection.llen(worker.toKey('wait'))) === 0;
    };
    const lock = watch.hold(async () => (await job.extendLock(token, options.lockDurationMs)) === 1);
    const putOff = async (delayMs: number): Promise<never> => {
      await job.moveToDelayed(Date.now() + delayMs, token);
      throw new DelayedError();
    };
    let result: HandlerResult;
    try {
      const signals = { stop: stopped, kill: lock.kill, assertInTime: () => lock.assertInTime() };
      result = await options.handle(job.data, randomUUID(), signals);
      if (result.type === 'again' && result.delayMs < shortDelayMs && (await keepsSlot())) {
        await sleepFor(result.delayMs, undefined, { signal: AbortSignal.any([stopped, lock.kill]) });
        result = { type: 'again', delayMs: 0 };
      }
    } catch (error) {
      lock.release();
      if (isStopping() && !(error instanceof LockLostError)) return handBack();
      if (decideUnworkable(error, job.timestamp, Date.now()) === 'drop') throw error;
      reportOnce(error);
      return putOff(leftDelayMs);
    }
    lock.release();
    if (result.type === 'done') return result.isReported === true ? 'reported' : 'unreported';
    return putOff(result.delayMs);
  };

  const running = new Set<Promise<unknown>>();
  const process = async (job: Job<unknown>, token = ''): Promise<JobEnd> => {
    // A signal of its own: the process's signal would keep every signal that was combined from it.
    const own = new AbortController();
    const forget = onAbort(stop.signal, () => own.abort(stop.signal.reason));
    const ended = run(job, token, own.signal);
    running.add(ended);
    try {
      return await ended;
    } finally {
      running.delete(ended);
      forget();
    }
  };

  const worker = new Worker<unknown, JobEnd>(options.queue, process, {
    connection,
    prefix: keyPrefix(rootPrefix(options, options.prefix), options.clusterUuid),
    concurrency: options.concurrency,
    lockDuration: options.lockDurationMs,
    stalledInterval: options.stalledCheckMs,
    maxStalledCount: Number.MAX_SAFE_INTEGER,
    drainDelay: 1,
    runRetryDelay: 1000,
    skipVersionCheck: true,
    skipLockRenewal: true,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
  });
  worker.on('error', options.onError);
  worker.on('completed', (job, end) => {
    if (end === 'unreported') options.onJobEnded?.(job.data);
  });
  worker.on('failed', (job, error) => {
    options.onError(error);
    if (job !== undefined) options.onJobEnded?.(job.data);
  });

  return {
    async close(graceMs) {
      // Not closed yet: BullMQ closes once, and its wait can't be interrupted any more.
      const paused = worker.pause(true);
      stop.abort(new Error('the process is shutting down'));
      const timer = setTimeout(() => watch.killAll('the time to shut down is over'), graceMs);
      await within(graceMs + lastWordsMs, Promise.all([paused, Promise.allSettled(running)]));
      clearTimeout(timer);
      watch.stop();
      await within(lastWordsMs, worker.close(running.size > 0));
      connection.disconnect();
    },
  };
}
