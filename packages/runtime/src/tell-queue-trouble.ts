import type { Logger } from '@aosc/telemetry';
import { systemClock } from './system-clock';
import { tellSeldom } from './tell-seldom';

/** Logs what goes wrong with Redis, which passes: a line for each kind of it, and no stack, which says nothing of Redis. */
export function tellQueueTrouble(logger: Logger): (error: Error) => void {
  return tellSeldom(
    ({ message }, silent) =>
      logger.warn(`queue trouble: ${message}${silent === 0 ? '' : ` (and ${silent} times before)`}`, {
        event: 'queue_error',
      }),
    () => systemClock.monotonic(),
  );
}
