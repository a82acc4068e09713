import type { Clock } from './clock';
import { type ClusterError, isClusterError } from './cluster-error';

/**
 * Decides what follows a failed try.
 * @param tries so far
 * @param elapsedMs since the first try began
 * @param random uniform in [0, 1)
 * @returns the pause before the next try, in milliseconds; undefined: there is none
 */
export type RepeatPolicy = (
  error: ClusterError,
  tries: number,
  elapsedMs: number,
  random: number,
) => number | undefined;

/**
 * The last try begins at most this long after the first, in milliseconds. A primary that moves to another node is back
 * by then.
 */
const momentMs = 1000;
const firstPauseMs = 50;

/**
 * The policy for an answer that a person waits for. It bridges the moment in which a primary moves and no node serves
 * it. A cluster that can't be reached, or that has no manager, gets no further try.
 */
const forAMoment: RepeatPolicy = (error, tries, elapsedMs, random) => {
  if (error.kind !== 'transient' || error.details.awaits !== undefined) return undefined;
  const pauseMs = firstPauseMs * 2 ** (tries - 1) * (0.75 + random / 2);
  return elapsedMs + pauseMs > momentMs ? undefined : pauseMs;
};

/**
 * Repeats a call that is harmless to repeat. A shard's job calls `retryingReads` instead, which takes its pauses from
 * the settings `*.overload.*`: one pause holds back all reads of the job, and too many failures fail the shard.
 * @param signal ends the pauses; the last error is thrown then, too
 * @throws the last error
 */
export async function repeatTransient<T>(
  attempt: (tries: number) => Promise<T>,
  clock: Pick<Clock, 'monotonic' | 'sleep' | 'random'>,
  signal: AbortSignal,
  policy: RepeatPolicy = forAMoment,
): Promise<T> {
  const began = clock.monotonic();
  for (let tries = 1; ; tries++) {
    try {
      return await attempt(tries);
    } catch (error) {
      if (!isClusterError(error)) throw error;
      const pauseMs = policy(error, tries, clock.monotonic() - began, clock.random());
      if (pauseMs === undefined) throw error;
      await clock.sleep(pauseMs, signal).catch(() => undefined);
      if (signal.aborted) throw error;
    }
  }
}
