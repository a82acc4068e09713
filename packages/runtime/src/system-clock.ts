import type { Clock } from '@aosc/engine';
import { onAbort } from '@aosc/signals';

/** The machine's clocks and chance. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  random: () => Math.random(),
  async sleep(ms, signal) {
    signal.throwIfAborted();
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        forget();
        resolve();
      };
      const timer = setTimeout(end, ms);
      const forget = onAbort(signal, end);
    });
    signal.throwIfAborted();
  },
};
