import type { Clock } from './clock';
import { isClusterError } from './cluster-error';

/** For so long after the first try another one may begin, in milliseconds: a primary that is handed over is back by then. */
const triesForMs = 1000;
const firstPauseMs = 50;

/**
 * Repeats what is harmless to repeat while it fails for a moment: a primary that is being moved serves nothing between two
 * nodes. A cluster that nobody reaches, or that has no manager, is not waited for.
 * @param signal ends the pauses; the last error is thrown then, too
 * @throws the last error
 */
export async function repeatTransient<T>(
  attempt: (tries: number) => Promise<T>,
  clock: Pick<Clock, 'monotonic' | 'sleep' | 'random'>,
  signal: AbortSignal,
): Promise<T> {
  const began = clock.monotonic();
  for (let tries = 1; ; tries++) {
    try {
      return await attempt(tries);
    } catch (error) {
      if (!isClusterError(error, 'transient') || error.details.awaits !== undefined) throw error;
      const pauseMs = firstPauseMs * 2 ** (tries - 1) * (0.75 + clock.random() / 2);
      if (clock.monotonic() - began + pauseMs > triesForMs) throw error;
      await clock.sleep(pauseMs, signal).catch(() => undefined);
      if (signal.aborted) throw error;
    }
  }
}
