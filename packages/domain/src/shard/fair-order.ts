/** A waiting job: the smallest number goes first. */
export interface WaitingJob {
  /** the migration's */
  readonly key: string;
  readonly priority: number;
}

/** BullMQ's largest priority; 0 is none at all, and goes before every other. */
const maxPriority = 2 ** 21 - 1;

/**
 * Priorities of further jobs of one migration in a node's queue, in the order in which they shall run. This is
 * start-time fair queueing: each job comes after the last of its own migration, and behind the jobs that are next now.
 * So migrations take turns: a late migration does not wait for all shards of another, migrations that start again and
 * again can't hold up a waiting one, and only the queue itself holds state.
 */
export function fairPriorities(
  waiting: readonly WaitingJob[],
  key: string,
  count: number,
): readonly number[] {
  let front = waiting.length === 0 ? 0 : maxPriority;
  let last = 0;
  for (const job of waiting) {
    front = Math.min(front, job.priority);
    if (job.key === key) last = Math.max(last, job.priority);
  }
  const first = Math.max(front, last) + 1;
  return Array.from({ length: count }, (_, i) => Math.min(first + i, maxPriority));
}
