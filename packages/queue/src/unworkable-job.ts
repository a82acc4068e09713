import { NewerVersionError } from '@aosc/contract';

/** How long a job that only a later version can work on is left to its workers. */
const patienceMs = 60_000;

/**
 * What becomes of a job whose handler has thrown. One that a later version must work on goes back into the queue, where
 * a process of that version finds it. When none has taken it for a while there may be none (somebody went back to the
 * version before), and a job that stays keeps the scheduler from making one that can be worked on: so it is dropped.
 * Nothing is lost with it, for what there is to do stands in the records.
 * @param madeAtMillis by the clock of the process that has made the job: one that is wrong costs no more than a job
 */
export function decideUnworkable(error: unknown, madeAtMillis: number, nowMillis: number): 'leave' | 'drop' {
  return error instanceof NewerVersionError && nowMillis - madeAtMillis < patienceMs ? 'leave' : 'drop';
}
