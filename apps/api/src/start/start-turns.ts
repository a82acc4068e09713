import { AoscError } from '@aosc/contract';
import { createFairQueue, type FairQueue } from '../limits/fair-queue';
import type { Caller } from './caller';

/**
 * Starts that are checked at once: each asks OpenSearch some thirty things, the cluster manager among others. Those of
 * credentials that are limited to some indices have places of their own, so that they keep nobody else's out.
 */
const maxLimited = 4;
const maxOthers = 16;
/** A start that waits holds its body, of a megabyte at the most. */
const waiting = { maxWaitingOfClient: 16, maxWaiting: 64 };

/** Lets a few starts run at once; the others wait, and the credentials take turns. */
export interface StartTurns {
  /** @throws AoscError rate_limited when too many wait already; what the start throws */
  run<T extends object>(caller: Pick<Caller, 'id' | 'isLimited'>, start: () => Promise<T>): Promise<T>;
}

export function createStartTurns(): StartTurns {
  const limited: FairQueue = createFairQueue({ maxRunning: maxLimited, ...waiting });
  const others: FairQueue = createFairQueue({ maxRunning: maxOthers, ...waiting });
  return {
    async run({ id, isLimited }, start) {
      const started = await (isLimited ? limited : others).run(id, start);
      if (started !== undefined) return started;
      throw new AoscError('rate_limited', 'Too many starts wait already; try again');
    },
  };
}
