import { setTimeout as sleep } from 'node:timers/promises';
import { RedisSilentError } from '@aosc/queue';
import { systemClock } from '@aosc/runtime';
import { createMandate } from '@aosc/signals';
import { type AdvanceDependencies, driveMigration } from './advance-handler';
import type { Drive } from './migration-runner';

/** Applications wait during these waits; the next look, without Redis, would come some seconds later. */
const longestWaitMs = 1000;

/** Each question would otherwise wait for an answer of Redis. */
const away = (): Promise<never> => Promise.reject(new RedisSilentError('Redis gives no answer'));
const noJobs: AdvanceDependencies['queues'] = {
  // Missing jobs wait for Redis; the steps beside them do not.
  ensureShardJobs: () => Promise.resolve(),
  ensureVerifyJob: () => Promise.resolve(),
  replaceShardJob: away,
  hurryReplays: away,
  dropShardJobs: away,
};

/** Drives a migration that needs no job any more on to its swap, without Redis. */
export function createDriveToSwap(
  dependencies: Omit<AdvanceDependencies, 'wakeLater' | 'queues'>,
  drive = driveMigration,
): Drive {
  return async (record, { isDone, limitMs, signal }) => {
    const mandate = createMandate(limitMs, systemClock, signal);
    for (;;) {
      const { wakeInMs } = await drive({ ...dependencies, queues: noJobs }, record, mandate, { isDone });
      if (wakeInMs === undefined || wakeInMs > longestWaitMs) return;
      // The signal bounds the loop.
      await sleep(wakeInMs, undefined, { signal });
    }
  };
}
