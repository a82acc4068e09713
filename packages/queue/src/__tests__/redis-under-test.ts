import { type Stack, startStack } from '@aosc/local-stack';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { type Consumer, type ConsumerOptions, createConsumer } from '../consumer';
import { keyPrefix } from '../queue-names';
import { createQueues, type Queues, type QueuesOptions } from '../queues';

const clusterUuid = 'cluster';

/** The Redis of one test file; each test has a prefix of its own. */
export interface RedisUnderTest {
  readonly redis: Redis;
  readonly stack: Stack;
  /** the setting that `createQueues` reads */
  permits: number;
  /** BullMQ's prefix in the running test */
  readonly keys: string;
  readonly startQueues: (parts?: Partial<QueuesOptions>) => Queues;
  readonly consume: (parts: Partial<ConsumerOptions> & Pick<ConsumerOptions, 'queue' | 'handle'>) => Consumer;
  /** the queue itself, to look into it */
  readonly inspect: (name: string) => Queue;
  /** closed at the end of the test */
  readonly open: { close(): Promise<unknown> }[];
}

/** A test file calls it once, at its top. */
export function useRedis(): RedisUnderTest {
  let stack: Stack | undefined;
  let redis: Redis | undefined;
  let tests = 0;
  let prefix = '';
  const open: { close(): Promise<unknown> }[] = [];

  beforeAll(async () => {
    stack = await startStack({ nodes: 0 });
    redis = new Redis(stack.redisUrl, { maxRetriesPerRequest: null });
    redis.on('error', () => undefined);
  }, 60_000);
  afterAll(async () => {
    redis?.disconnect();
    await stack?.stop();
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((each) => each.close()));
  });

  const under: RedisUnderTest = {
    get stack() {
      if (stack === undefined) throw new Error('Redis is started before the first test');
      return stack;
    },
    get redis() {
      if (redis === undefined) throw new Error('Redis is started before the first test');
      return redis;
    },
    permits: 2,
    get keys() {
      return keyPrefix(prefix, clusterUuid);
    },
    open,
    startQueues(parts = {}) {
      const queues = createQueues({
        redisUrl: under.stack.redisUrl,
        prefix,
        clusterUuid,
        role: 'patient',
        readPermits: () => Promise.resolve(under.permits),
        onError: () => undefined,
        ...parts,
      });
      open.push(queues);
      return queues;
    },
    consume(parts) {
      const consumer = createConsumer({
        redisUrl: under.stack.redisUrl,
        prefix,
        clusterUuid,
        concurrency: 4,
        lockDurationMs: 5000,
        stalledCheckMs: 500,
        onError: () => undefined,
        ...parts,
      });
      open.push({ close: () => consumer.close(100) });
      return consumer;
    },
    inspect(name) {
      const queue = new Queue(name, { connection: under.redis, prefix: under.keys, skipMetasUpdate: true });
      open.push(queue);
      return queue;
    },
  };
  beforeEach(() => {
    prefix = `test${(tests += 1)}`;
    under.permits = 2;
  });
  return under;
}
