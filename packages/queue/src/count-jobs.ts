import type { Queue } from 'bullmq';

/** What becomes of a job: those with a priority wait as well. Jobs that have ended are kept nowhere. */
const states = ['waiting', 'prioritized', 'active', 'delayed'] as const;

/** They wait for a slot, a permit or a worker; are being worked on; wait for their time. */
export type JobCount = Readonly<Record<'waiting' | 'active' | 'delayed', number>>;

/** The jobs of these queues together. A queue that is paused counts like any other. */
export async function countJobs(queues: readonly Pick<Queue, 'getJobCounts'>[]): Promise<JobCount> {
  let [waiting, active, delayed] = [0, 0, 0];
  for (const queue of queues) {
    const counts = await queue.getJobCounts(...states);
    waiting += (counts['waiting'] ?? 0) + (counts['prioritized'] ?? 0);
    active += counts['active'] ?? 0;
    delayed += counts['delayed'] ?? 0;
  }
  return { waiting, active, delayed };
}
