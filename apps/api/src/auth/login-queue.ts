import { availableParallelism } from 'node:os';
import { BoundedMap } from '../limits/bounded-map';
import { createFairQueue } from '../limits/fair-queue';

/** Where passwords wait for their check. */
export interface LoginQueue {
  /** @returns whether it was right; undefined: not checked, because too many wait */
  check(client: string, verify: () => Promise<boolean>): Promise<boolean | undefined>;
}

/** Each check takes its hash's memory (32 MiB as the script makes them) and a thread of the pool's four. */
const maxChecks = 2;
const maxWaitingOfClient = 2;
const maxWaiting = 128;
/** Addresses whose last password was wrong, or found no place. */
const maxSuspects = 10_000;

/**
 * Checks a few passwords at once. A check keeps a core busy for a third of a second, and one core is left to the
 * loop that answers everybody. Addresses take turns, and those whose last password was wrong stand behind the others: who
 * guesses keeps nobody else waiting for longer than a check or two, however many addresses guess.
 * @param cores of the machine
 */
export function createLoginQueue(cores = availableParallelism()): LoginQueue {
  const maxRunning = Math.max(1, Math.min(maxChecks, cores - 1));
  const suspects = new BoundedMap<string, true>(maxSuspects);
  const isLate = (client: string): boolean => suspects.get(client) ?? false;
  const queue = createFairQueue({ maxRunning, maxWaitingOfClient, maxWaiting, isLate });
  return {
    async check(client, verify) {
      const isRight = await queue.run(client, verify);
      if (isRight === true) suspects.delete(client);
      // Whoever sends more passwords than may wait is known before the first of them was checked.
      else suspects.set(client, true);
      return isRight;
    },
  };
}
