import type { Queue } from 'bullmq';

/** Jobs on shards that run, and those that would if there were more workers, by their kind. */
export interface DueJobs {
  readonly backfill: number;
  readonly replay: number;
  readonly catchUp: number;
}

/**
 * What a queue could keep workers busy with at this moment.
 * @param limit how many of its jobs may run at once, however many workers there are
 */
export async function countDue(
  queue: Pick<Queue, 'getJobCounts' | 'isPaused'>,
  limit = Infinity,
): Promise<number> {
  const { active = 0, wait = 0, prioritized = 0 } = await queue.getJobCounts('active', 'wait', 'prioritized');
  // An operator has paused it: more workers would not change that.
  const waiting = (await queue.isPaused()) ? 0 : wait + prioritized;
  return Math.max(active, Math.min(active + waiting, limit));
}
