import { randomUUID } from 'node:crypto';
import type { WorkerPresence } from '@aosc/queue';
import type { Logger } from '@aosc/telemetry';
import type { Fleet } from './consumers';

/**
 * The same fleet. Until it is closed, it announces to the schedulers that a worker takes jobs. It survives Redis being
 * away: the next announcement comes soon, and without Redis there are no jobs either.
 * @param times between two announcements, and how long one holds when no further one comes
 */
export function announced(
  fleet: Fleet,
  presence: WorkerPresence,
  times: { readonly everyMs: number; readonly lastsMs: number },
  logger: Logger,
): Fleet {
  const worker = randomUUID();
  const onFailure = (error: unknown): void => {
    logger.debug('the schedulers may count this worker as gone', { event: 'workers_unknown', error });
  };
  let last: Promise<void> = Promise.resolve();
  const announce = (): void => {
    last = presence.announce(worker, times.lastsMs).catch(onFailure);
  };
  announce();
  const timer = setInterval(announce, times.everyMs);
  return {
    async close(graceMs) {
      clearInterval(timer);
      // Not one after the other: while Redis is away, its answer would take the time that the bulks need to end.
      const withdrawn = last.then(() => presence.withdraw(worker)).catch(onFailure);
      await fleet.close(graceMs);
      await withdrawn;
    },
  };
}
