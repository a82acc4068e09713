import type { Logger } from '@aosc/telemetry';
import { systemClock } from './system-clock';
import { logSeldom } from './log-seldom';

/**
 * Logs passing trouble with Redis: one line for each kind of error, without its stack, which says nothing about Redis.
 */
export function logQueueTrouble(logger: Logger): (error: Error) => void {
  return logSeldom(
    ({ message }, silent) =>
      logger.warn(`queue trouble: ${message}${silent === 0 ? '' : ` (and ${silent} times before)`}`, {
        event: 'queue_error',
      }),
    () => systemClock.monotonic(),
  );
}
