import { AoscError } from '@aosc/contract';
import { createFairQueue, type FairQueue } from '../limits/fair-queue';
import type { Caller } from './caller';

/**
 * Starts that are checked at once: each asks OpenSearch some thirty things, the cluster manager among others. Those of
 * credentials that are limited to some indices have places of their own, so that they keep nobody else's out.
 */
const maxLimited = 4;
const maxOthers = 16;
/**
 * A start that waits holds its body, of a megabyte at the most. One credential may have all places: it gives them up to
 * others that come. Without authentication all callers are one.
 */
const waiting = { maxWaitingOfClient: 64, maxWaiting: 64 };

/** Lets a few starts, and what asks as much as they do, run at once; the others wait, and the credentials take turns. */
export interface StartTurns {
  /**
   * @param gone fires when nobody waits for the answer any more: it is not begun then
   * @throws AoscError rate_limited when too many wait already; what the start throws
   */
  run<T extends object>(
    caller: Pick<Caller, 'id' | 'isLimited'>,
    gone: AbortSignal,
    start: () => Promise<T>,
  ): Promise<T>;
}

export function createStartTurns(): StartTurns {
  const limited: FairQueue = createFairQueue({ maxRunning: maxLimited, ...waiting });
  const others: FairQueue = createFairQueue({ maxRunning: maxOthers, ...waiting });
  return {
    async run({ id, isLimited }, gone, start) {
      const started = await (isLimited ? limited : others).run(id, () => {
        if (gone.aborted) throw new AoscError('unavailable', 'The client went away before it had its turn');
        return start();
      });
      if (started !== undefined) return started;
      throw new AoscError('rate_limited', 'Too many starts wait already; try again');
    },
  };
}
