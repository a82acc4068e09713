import type { Queue } from 'bullmq';
import { advanceQueue, catchUpQueue, replayQueue } from './queue-names';

/** How many jobs a kind of queue has. No queue keeps jobs that have ended. */
export interface JobCount {
  /** wait for a slot, a permit or a worker */
  readonly waiting: number;
  readonly active: number;
  /** wait for their time */
  readonly delayed: number;
  /**
   * jobs that run, or would if there were more workers: not those that wait for a permit, nor those of a queue that an
   * operator has paused
   */
  readonly due: number;
}

/** By kind of queue; the queues of all data nodes together are `backfill`. */
export type JobCounts = Readonly<Record<'advance' | 'backfill' | 'replay' | 'catch-up', JobCount>>;

type CountedQueue = Pick<Queue, 'getJobCounts' | 'isPaused' | 'getGlobalConcurrency'>;

/** The jobs of these queues together. */
export async function countJobs(queues: readonly CountedQueue[]): Promise<JobCount> {
  const counts: JobCount[] = [];
  for (const queue of queues) counts.push(await countOne(queue));
  const sum = (name: keyof JobCount): number => counts.reduce((all, count) => all + count[name], 0);
  return { waiting: sum('waiting'), active: sum('active'), delayed: sum('delayed'), due: sum('due') };
}

async function countOne(queue: CountedQueue): Promise<JobCount> {
  const [counts, limit, isPaused] = await Promise.all([
    queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed'),
    queue.getGlobalConcurrency(),
    queue.isPaused(),
  ]);
  const { waiting: unranked = 0, prioritized = 0, active = 0, delayed = 0 } = counts;
  const waiting = unranked + prioritized;
  const startable = isPaused ? 0 : waiting;
  return { waiting, active, delayed, due: Math.max(active, Math.min(active + startable, limit ?? Infinity)) };
}

/** @param countBackfills counts those of all data nodes */
export async function countKinds(
  queueOf: (name: string) => CountedQueue,
  countBackfills: () => Promise<JobCount>,
): Promise<JobCounts> {
  return {
    advance: await countJobs([queueOf(advanceQueue)]),
    backfill: await countBackfills(),
    replay: await countJobs([queueOf(replayQueue)]),
    'catch-up': await countJobs([queueOf(catchUpQueue)]),
  };
}
