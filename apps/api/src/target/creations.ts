import { AoscError } from '@aosc/contract';
import { createFairQueue } from '../limits/fair-queue';

/** More than the starts that are checked at once, which are all that can come here. */
const waiting = { maxWaitingOfClient: 64, maxWaiting: 64 };

/** Lets limited callers create indices one after the other: those checked together would not see each other's shards. */
export interface Creations {
  /** @throws AoscError rate_limited when too many wait already; what the creation throws */
  run(caller: string, create: () => Promise<void>): Promise<void>;
}

export function createCreations(): Creations {
  const queue = createFairQueue({ maxRunning: 1, ...waiting });
  return {
    async run(caller, create) {
      const done = await queue.run(caller, async () => {
        await create();
        return true;
      });
      if (done === undefined) {
        throw new AoscError('rate_limited', 'Too many indices are being created already; try again');
      }
    },
  };
}
