import { setTimeout as sleep } from 'node:timers/promises';
import { createQueues, type Queues, type RedisTls } from '@aosc/queue';
import type { Waker } from './dependencies';

/** How long a connection that has just been opened is waited for. */
const connectMs = 2_000;
const pauseMs = 50;

/** The API's way to Redis, opened when it is first needed. */
export interface RedisWaker extends Waker {
  close(): Promise<void>;
}

/**
 * Queue names hold the cluster's uuid, which only OpenSearch knows; the API starts without either of them, and
 * says so when it is asked for something.
 * @param options.clusterUuid @throws while OpenSearch can't be reached
 */
export function createWaker(options: {
  readonly redisUrl: string;
  readonly redisTls: RedisTls;
  readonly prefix: string;
  readonly clusterUuid: () => Promise<string>;
  readonly onError: (error: Error) => void;
}): RedisWaker {
  const { redisUrl, redisTls, prefix, onError } = options;
  let opened: Queues | undefined;

  const open = async (): Promise<Queues> => {
    if (opened !== undefined) return opened;
    const clusterUuid = await readClusterUuid(options.clusterUuid);
    opened ??= createQueues({ redisUrl, redisTls, prefix, clusterUuid, role: 'impatient', onError });
    return opened;
  };

  return {
    async ping() {
      const queues = await open();
      const problem = await checkWithin(queues, Date.now() + connectMs);
      if (problem !== undefined) throw new Error(problem);
    },
    wakeMigration: async (key) => (await open()).wakeMigration(key),
    close: async () => opened?.close(),
  };
}

async function readClusterUuid(read: () => Promise<string>): Promise<string> {
  try {
    return await read();
  } catch (cause) {
    throw new Error('not asked yet: its names hold the uuid of the cluster, and OpenSearch has not told it', {
      cause,
    });
  }
}

/** An impatient connection fails at once while it is not there yet: also in its first milliseconds. */
async function checkWithin(queues: Queues, deadlineMillis: number): Promise<string | undefined> {
  for (;;) {
    try {
      return await queues.check();
    } catch (error) {
      if (Date.now() >= deadlineMillis) throw error;
      await sleep(pauseMs);
    }
  }
}
