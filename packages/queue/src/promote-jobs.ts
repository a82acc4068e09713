import type { Job, Queue } from 'bullmq';
import type { Connection } from './connection';

/** How far apart the clocks of two processes may be, in milliseconds. */
const skewMs = 60_000;
/** Jobs in one look. */
const maxStrays = 100;
/** BullMQ's score of a delayed job is the millisecond in which it is due, times this. */
const scoresPerMs = 0x1000;

/** Makes jobs run at once that rest under these names. */
export async function promoteNamed(queue: Queue, names: readonly string[]): Promise<void> {
  const ids = await Promise.all(names.map((name) => queue.getDeduplicationJobId(name)));
  await Promise.all(ids.filter((id) => id !== null).map(async (id) => promote(await queue.getJob(id))));
}

/**
 * Makes jobs run at once that a process put off while its clock was ahead. They would rest for as long as the clock was
 * ahead, and their names would keep new jobs out.
 */
export async function promoteStrays(connection: Connection, queue: Queue): Promise<void> {
  const delayed = queue.toKey('delayed');
  const restingBeyond = (millis: number) =>
    connection.zrevrangebyscore(delayed, '+inf', millis * scoresPerMs, 'LIMIT', 0, maxStrays);
  if ((await restingBeyond(Date.now() + skewMs)).length === 0) return;
  // This process's own clock may be wrong, so Redis's clock decides.
  const [seconds] = await connection.time();
  const soon = Number(seconds) * 1000 + skewMs;
  for (const id of await restingBeyond(soon)) {
    const job: Job<unknown> | undefined = await queue.getJob(id);
    const score = Number(await connection.zscore(delayed, id));
    // A long rest may be meant: what counts is when it began.
    if (job !== undefined && score / scoresPerMs - job.delay > soon) await promote(job);
  }
}

/** Only a delayed job: a job that runs or is gone needs no hurry. */
async function promote(job: Job<unknown> | undefined): Promise<void> {
  if (job === undefined || !(await job.isDelayed())) return;
  try {
    await job.promote();
  } catch (error) {
    if (await job.isDelayed()) throw error;
  }
}
