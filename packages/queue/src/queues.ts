import type { ShardJobKind } from '@aosc/domain';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { type ConnectionRole, createConnection, findEvictionProblem, type RedisTls } from './connection';
import type { AdvanceJobData, ShardJobData } from './job-data';
import {
  advanceQueue,
  backfillQueue,
  catchUpQueue,
  keyPrefix,
  replayQueue,
  shardJobName,
} from './queue-names';
import { createRedisMark, type RedisMark } from './redis-mark';

export interface QueuesOptions {
  readonly redisUrl: string;
  readonly redisTls?: RedisTls;
  readonly prefix: string;
  readonly clusterUuid: string;
  readonly role: ConnectionRole;
  readonly onError: (error: Error) => void;
}

/** Puts work into Redis. Losing any of it is harmless: the scheduler's reconcile tick puts it back. */
export interface Queues {
  /** Has the migration driven on soon. Asked for while it is being driven, it is driven once more. */
  wakeMigration(key: string): Promise<void>;
  /** Queues a shard's job, unless it is there already. The node's permits are set before. */
  ensureShardJob(kind: ShardJobKind, key: string, shard: number, nodeId: string): Promise<void>;
  /** Sets how many backfills may run at once from each known node; 0 pauses. */
  setPermits(permits: number): Promise<void>;
  readonly mark: RedisMark;
  /** @returns what is wrong with Redis, or undefined. @throws when it can't be reached */
  check(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** A connection that was away when a queue was first used makes BullMQ wait without bound. */
const limitMs = 5000;

async function within<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Redis has not answered within ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const keepNothing = { removeOnComplete: true, removeOnFail: true } as const;

export function createQueues(options: QueuesOptions): Queues {
  const connection: Redis = createConnection(options, options.role, options.onError);
  const prefix = keyPrefix(options.prefix, options.clusterUuid);
  const queues = new Map<string, Queue>();
  const permitsSet = new Map<string, number>();
  let permits = 2;

  const queueOf = (name: string): Queue => {
    const known = queues.get(name);
    if (known !== undefined) return known;
    const queue = new Queue(name, { connection, prefix, skipVersionCheck: true });
    queue.on('error', options.onError);
    queues.set(name, queue);
    return queue;
  };

  /**
   * FLUSHALL takes the limit away, which means unlimited: so it is written before a job is added. BullMQ wakes
   * nobody when it changes, so the queue is resumed when it grows.
   */
  const applyPermits = async (name: string): Promise<void> => {
    const queue = queueOf(name);
    const inForce = await queue.getGlobalConcurrency();
    if (inForce === permits) return;
    await queue.setGlobalConcurrency(permits);
    if (permitsSet.get(name) !== permits && !(await queue.isPaused())) await queue.resume();
    permitsSet.set(name, permits);
  };

  return {
    mark: createRedisMark(connection, options.prefix),
    async wakeMigration(key) {
      const data: AdvanceJobData = { v: 1, key };
      const deduplication = { id: key, keepLastIfActive: true };
      await within(queueOf(advanceQueue).add('advance', data, { ...keepNothing, deduplication }));
    },
    async ensureShardJob(kind, key, shard, nodeId) {
      const name =
        kind === 'backfill' ? backfillQueue(nodeId) : kind === 'replay' ? replayQueue : catchUpQueue;
      if (kind === 'backfill') await within(applyPermits(name));
      const data: ShardJobData = { v: 1, key, shard };
      const deduplication = { id: shardJobName(key, shard) };
      await within(queueOf(name).add(kind, data, { ...keepNothing, deduplication }));
    },
    async setPermits(count) {
      permits = count;
      for (const name of queues.keys())
        if (name.startsWith(backfillQueue(''))) await within(applyPermits(name));
    },
    async check() {
      await connection.ping();
      return findEvictionProblem(connection);
    },
    async close() {
      await Promise.all([...queues.values()].map((queue) => queue.close()));
      connection.disconnect();
    },
  };
}
