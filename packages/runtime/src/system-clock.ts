import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '@aosc/engine';

/** The machine's clocks and chance. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  random: () => Math.random(),
  async sleep(ms, signal) {
    try {
      await delay(ms, undefined, { signal });
    } catch (error) {
      // The timer's own AbortError hides why: the caller wants the reason.
      signal.throwIfAborted();
      throw error;
    }
  },
};
