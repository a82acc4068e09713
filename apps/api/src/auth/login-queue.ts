import { availableParallelism } from 'node:os';
import { LRUCache } from 'lru-cache';
import { siteOf } from '../limits/client-address';
import { createFairQueue } from '../limits/fair-queue';
import { createSuspects } from '../limits/suspects';

/** Where passwords wait for their check. */
export interface LoginQueue {
  /** @returns whether it was right; undefined: not checked, because too many wait */
  check(client: string, verify: () => Promise<boolean>): Promise<boolean | undefined>;
}

/** Each check takes its hash's memory (32 MiB as the script makes them) and a thread of the pool's four. */
const maxChecks = 2;
const maxWaitingOfClient = 2;
const maxWaiting = 128;
/** Addresses that have sent a right password. */
const maxTrusted = 1_000;

/**
 * Checks a few passwords at once. A check keeps a core busy for a third of a second, and one core is left to the
 * loop that answers everybody. Addresses take turns, and those whose last password was wrong stand behind the others: a
 * guesser keeps nobody else waiting for longer than a check or two. A site with IPv6 has 65,536 addresses as they are
 * told apart, each of which would be new: after a wrong password all of the site stand behind, but those that have sent
 * a right one.
 * @param cores of the machine
 */
export function createLoginQueue(cores = availableParallelism()): LoginQueue {
  const maxRunning = Math.max(1, Math.min(maxChecks, cores - 1));
  /** addresses whose last password was wrong, or found no place */
  const suspects = createSuspects(Infinity);
  const trusted = new LRUCache<string, true>({ max: maxTrusted });
  const queue = createFairQueue({
    maxRunning,
    maxWaitingOfClient,
    maxWaiting,
    isLate: (client) =>
      suspects.has(client) || (suspects.has(siteOf(client)) && trusted.get(client) === undefined),
  });
  return {
    async check(client, verify) {
      const isRight = await queue.run(client, verify);
      if (isRight === true) {
        suspects.forget(client);
        trusted.set(client, true);
        return true;
      }
      // An address that sends more passwords than may wait is known before the first of them was checked.
      suspects.note(client);
      // One that found no place may be anybody's: its neighbours have done nothing.
      if (isRight === false) suspects.note(siteOf(client));
      return isRight;
    },
  };
}
