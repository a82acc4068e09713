import { randomUUID } from 'node:crypto';
import type { Consumer, Presence } from '@aosc/queue';
import type { Logger } from '@aosc/telemetry';

/**
 * The same consumer. Until it is closed, it announces that this process takes jobs. It survives Redis being away: the
 * next announcement comes soon, and without Redis there are no jobs either.
 * @param times between two announcements, and how long one holds when no further one comes
 */
export function announced(
  taking: Consumer,
  presence: Presence,
  times: { readonly everyMs: number; readonly lastsMs: number },
  logger: Logger,
): Consumer {
  const name = randomUUID();
  const onFailure = (error: unknown): void => {
    logger.debug('this process may count as gone', { event: 'workers_unknown', error });
  };
  let last: Promise<void> = Promise.resolve();
  const announce = (): void => {
    last = presence.announce(name, times.lastsMs).catch(onFailure);
  };
  announce();
  const timer = setInterval(announce, times.everyMs);
  return {
    async close(graceMs) {
      clearInterval(timer);
      // Not one after the other: while Redis is away, its answer would take the time that the bulks need to end.
      const withdrawn = last.then(() => presence.withdraw(name)).catch(onFailure);
      await taking.close(graceMs);
      await withdrawn;
    },
  };
}
