import { NewerVersionError } from '@aosc/contract';

/** How long workers of a later version have to take a job that only they understand. */
const patienceMs = 60_000;

/**
 * What becomes of a job whose handler has thrown. A job of a later version goes back into the queue, where a process of
 * that version finds it. If none takes it for a while, there may be none (an operator went back to the older version).
 * The job would then keep the scheduler from creating a job that this version understands, so this drops it. Nothing is
 * lost, because the records say what there is to do.
 * @param madeAtMillis by the clock of the process that created the job: a wrong clock costs no more than a job
 */
export function decideUnworkable(error: unknown, madeAtMillis: number, nowMillis: number): 'leave' | 'drop' {
  return error instanceof NewerVersionError && nowMillis - madeAtMillis < patienceMs ? 'leave' : 'drop';
}
