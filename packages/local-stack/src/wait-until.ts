import { setTimeout as pause } from 'node:timers/promises';
import { timeLimit } from '@aosc/signals';

export interface WaitOptions {
  /** What is waited for, as it reads after "Waited in vain for ". */
  readonly what: string;
  readonly timeoutMs: number;
  /** End the wait early: the caller's signal, a process that has ended. */
  readonly endedBy: readonly (AbortSignal | undefined)[];
  /** Appended to the message on time-out, e.g. the tail of a log. */
  readonly details?: () => string;
}

const pollMs = 150;

/**
 * Asks again and again until `isMet` says true.
 * @throws Error on time-out, or when one of `endedBy` is aborted first (its reason is the cause)
 */
export async function waitUntil(
  isMet: (signal: AbortSignal) => Promise<boolean>,
  { what, timeoutMs, endedBy, details = () => '' }: WaitOptions,
): Promise<void> {
  const early = AbortSignal.any(endedBy.filter((signal) => signal !== undefined));
  const ended = timeLimit(timeoutMs, early);
  while (!(await isMet(ended))) {
    if (early.aborted) throw new Error(`Waited in vain for ${what}: ${describe(early.reason)}`);
    if (ended.aborted) throw new Error(`Waited in vain for ${what} for ${timeoutMs} ms${details()}`);
    await pause(pollMs, undefined, { signal: ended }).catch(() => undefined);
  }
}

/** Whether GET `url` is answered with a 2xx status; no answer is a no. */
export async function answersOk(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetch(url, { signal });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

function describe(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
