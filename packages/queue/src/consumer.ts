import { randomUUID } from 'node:crypto';
import { DelayedError, type Job, WaitingError, Worker } from 'bullmq';
import { createConnection } from './connection';
import { LockLostError, LockWatch } from './lock-watch';
import { keyPrefix } from './queue-names';

export interface JobSignals {
  /** begin nothing new: the process is shutting down */
  readonly stop: AbortSignal;
  /** end what runs: the lock is lost, or the time to shut down is over */
  readonly kill: AbortSignal;
  /** @throws LockLostError when the lock may have run out by this process's own clocks */
  readonly assertInTime: () => void;
}

export type HandlerResult = { readonly type: 'done' } | { readonly type: 'again'; readonly delayMs: number };

export interface ConsumerOptions {
  readonly redisUrl: string;
  readonly prefix: string;
  readonly clusterUuid: string;
  readonly queue: string;
  readonly concurrency: number;
  readonly lockDurationMs: number;
  readonly stalledCheckMs: number;
  readonly onError: (error: Error) => void;
  /** Called after a job has left the queue, however it ended. */
  readonly onSettled?: (payload: unknown) => void;
  /** @param owner unique for this run of the job */
  readonly handle: (payload: unknown, owner: string, signals: JobSignals) => Promise<HandlerResult>;
}

export interface Consumer {
  /** Lets running jobs hand back within the time given, then leaves them to be found stalled. */
  close(graceMs: number): Promise<void>;
}

const leastDelayMs = 100;

/**
 * Takes jobs from one queue. A job is never failed for good by the queue: stalls are counted without limit, and
 * what a failure means is decided in the records, not here.
 */
export function createConsumer(options: ConsumerOptions): Consumer {
  const connection = createConnection(options.redisUrl, 'patient', options.onError);
  const watch = new LockWatch(options.lockDurationMs);
  const stop = new AbortController();

  const process = async (job: Job<unknown>, token?: string): Promise<void> => {
    if (stop.signal.aborted) {
      // A slot that was waiting for jobs has taken one that another had just handed back.
      await job.moveToWait(token);
      throw new WaitingError();
    }
    const id = job.id ?? '';
    const { kill, assertInTime, end } = watch.begin(id);
    try {
      const result = await options.handle(job.data, randomUUID(), { stop: stop.signal, kill, assertInTime });
      if (result.type === 'done') return;
      // Never at once: BullMQ forgets a lock by the job's id when a run ends, and must not forget the next run's.
      await job.moveToDelayed(Date.now() + Math.max(result.delayMs, leastDelayMs), token);
      throw new DelayedError();
    } catch (error) {
      if (error instanceof DelayedError) throw error;
      if (stop.signal.aborted && !(error instanceof LockLostError)) {
        // Handed back, first in line, instead of waiting for the stalled check of another process.
        await job.moveToWait(token);
        throw new WaitingError();
      }
      throw error;
    } finally {
      end();
    }
  };

  const worker = new Worker<unknown, void>(options.queue, process, {
    connection,
    prefix: keyPrefix(options.prefix, options.clusterUuid),
    concurrency: options.concurrency,
    lockDuration: options.lockDurationMs,
    stalledInterval: options.stalledCheckMs,
    maxStalledCount: Number.MAX_SAFE_INTEGER,
    drainDelay: 1,
    runRetryDelay: 1000,
    skipVersionCheck: true,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
  });
  worker.on('error', options.onError);
  worker.on('locksRenewed', ({ jobIds }) => watch.renewed(jobIds));
  worker.on('lockRenewalFailed', (jobIds) => watch.lost(jobIds, 'the lock of the job was taken away'));
  worker.on('completed', (job) => options.onSettled?.(job.data));
  worker.on('failed', (job, error) => {
    options.onError(error);
    if (job !== undefined) options.onSettled?.(job.data);
  });

  return {
    async close(graceMs) {
      // First in line to close: a job that is handed back must not be taken again by this very worker.
      const closed = worker.close();
      stop.abort(new Error('the process is shutting down'));
      const timer = setTimeout(() => watch.killAll('the time to shut down is over'), graceMs);
      const giveUp = new Promise<void>((resolve) => {
        setTimeout(resolve, graceMs + 1000).unref();
      });
      await Promise.race([closed, giveUp]);
      await Promise.race([worker.close(true), giveUp]);
      clearTimeout(timer);
      watch.stop();
      connection.disconnect();
    },
  };
}
