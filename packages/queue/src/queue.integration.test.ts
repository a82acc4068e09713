import { type Stack, startStack, waitUntil } from '@aosc/local-stack';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { type Consumer, type ConsumerOptions, createConsumer } from './consumer';
import { parseShardJob } from './job-data';
import { LockLostError } from './lock-watch';
import { advanceQueue, backfillQueue, keyPrefix, replayQueue } from './queue-names';
import { createQueues, type Queues } from './queues';

jest.setTimeout(60_000);

const clusterUuid = 'cluster';
const key = '0123456789abcdef0123';
let stack: Stack;
let redis: Redis;
let tests = 0;
let prefix = '';
const open: { close(): Promise<unknown> }[] = [];

beforeAll(async () => {
  stack = await startStack({ nodes: 0 });
  redis = new Redis(stack.redisUrl, { maxRetriesPerRequest: null });
}, 60_000);
afterAll(async () => {
  redis.disconnect();
  await stack.stop();
});
beforeEach(() => {
  prefix = `test${(tests += 1)}`;
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

function startQueues(): Queues {
  const queues = createQueues({
    redisUrl: stack.redisUrl,
    prefix,
    clusterUuid,
    role: 'patient',
    onError: () => undefined,
  });
  open.push(queues);
  return queues;
}

function consume(parts: Partial<ConsumerOptions> & Pick<ConsumerOptions, 'queue' | 'handle'>): Consumer {
  const consumer = createConsumer({
    redisUrl: stack.redisUrl,
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
}

/** A number that others wait for. */
function createCounter() {
  let count = 0;
  const waiting: { at: number; resolve: () => void }[] = [];
  return {
    add() {
      count += 1;
      for (const { at, resolve } of waiting) if (count >= at) resolve();
    },
    get count() {
      return count;
    },
    reaches: (at: number) =>
      count >= at ? Promise.resolve() : new Promise<void>((resolve) => waiting.push({ at, resolve })),
  };
}

/** A door that closes behind whoever waits at it. */
function createDoor() {
  let release: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (release = resolve));
  return { opened, open: () => release() };
}

function inspect(name: string): Queue {
  const queue = new Queue(name, { connection: redis, prefix: keyPrefix(prefix, clusterUuid) });
  open.push(queue);
  return queue;
}

test('a wake-up that comes while the migration is being driven is not lost: it is driven once more', async () => {
  const queues = startQueues();
  const started = createCounter();
  const door = createDoor();
  consume({
    queue: advanceQueue,
    async handle() {
      started.add();
      if (started.count === 1) await door.opened;
      return { type: 'done' };
    },
  });
  await queues.wakeMigration(key);
  await started.reaches(1);
  await queues.wakeMigration(key);
  await queues.wakeMigration(key);
  expect(started.count).toBe(1);
  door.open();
  await started.reaches(2);
});

test('a shard job that is there already is not added again, and can be once it is gone', async () => {
  const queues = startQueues();
  await queues.ensureShardJob('replay', key, 1, 'node');
  await queues.ensureShardJob('replay', key, 1, 'node');
  await queues.ensureShardJob('replay', key, 11, 'node');
  const queue = inspect(replayQueue);
  expect(await queue.getWaitingCount()).toBe(2);
  const done = createCounter();
  consume({
    queue: replayQueue,
    handle: () => {
      done.add();
      return Promise.resolve({ type: 'done' });
    },
  });
  await done.reaches(2);
  await waitUntil(async () => (await queue.getActiveCount()) === 0, {
    what: 'both jobs to be gone',
    timeoutMs: 10_000,
    endedBy: [],
  });
  await queues.ensureShardJob('replay', key, 1, 'node');
  await done.reaches(3);
});

test('the permits are written before a job is added, also again after FLUSHALL', async () => {
  const queues = startQueues();
  await queues.setPermits(1);
  const running = createCounter();
  const door = createDoor();
  await queues.ensureShardJob('backfill', key, 0, 'node');
  await redis.flushall();
  await queues.ensureShardJob('backfill', key, 1, 'node');
  await queues.ensureShardJob('backfill', key, 2, 'node');
  expect(await inspect(backfillQueue('node')).getGlobalConcurrency()).toBe(1);
  consume({
    queue: backfillQueue('node'),
    async handle() {
      running.add();
      await door.opened;
      return { type: 'done' };
    },
  });
  await running.reaches(1);
  const queue = inspect(backfillQueue('node'));
  expect(await queue.getActiveCount()).toBe(1);
  expect(await queue.getWaitingCount()).toBe(1);
  door.open();
  await running.reaches(2);
});

test('0 permits let nothing start, and raising them grants at once', async () => {
  const queues = startQueues();
  await queues.setPermits(0);
  await queues.ensureShardJob('backfill', key, 0, 'node');
  const running = createCounter();
  const other = createCounter();
  const count = (counter: { add(): void }) => () => {
    counter.add();
    return Promise.resolve({ type: 'done' } as const);
  };
  consume({ queue: backfillQueue('node'), handle: count(running) });
  consume({ queue: replayQueue, handle: count(other) });
  await queues.ensureShardJob('replay', key, 0, 'node');
  await other.reaches(1);
  expect(running.count).toBe(0);
  await queues.setPermits(2);
  await running.reaches(1);
});

test('a job that asks to run again does so, as the same job', async () => {
  const queues = startQueues();
  const runs = createCounter();
  consume({
    queue: replayQueue,
    handle: () => {
      runs.add();
      return Promise.resolve(runs.count < 3 ? { type: 'again', delayMs: 10 } : { type: 'done' });
    },
  });
  await queues.ensureShardJob('replay', key, 0, 'node');
  await runs.reaches(3);
});

test('a job that runs again at once keeps its lock, whichever slot takes it', async () => {
  const shards = 10;
  const queues = startQueues();
  const runs = new Map<number, number>();
  const last = createCounter();
  const killed: number[] = [];
  const door = createDoor();
  consume({
    queue: replayQueue,
    concurrency: 2 * shards, // a free slot waits for jobs, beside the one that has just put its own back
    lockDurationMs: 1000,
    async handle(payload, _owner, { kill }) {
      const { shard } = parseShardJob(payload);
      const run = (runs.get(shard) ?? 0) + 1;
      runs.set(shard, run);
      if (run <= 5) return { type: 'again', delayMs: 0 };
      kill.addEventListener('abort', () => killed.push(shard));
      last.add();
      await door.opened;
      return { type: 'done' };
    },
  });
  for (let shard = 0; shard < shards; shard += 1) await queues.ensureShardJob('replay', key, shard, '');
  await last.reaches(shards);
  // A lock that was renewed twice has outlived the time it was taken for.
  const queue = inspect(replayQueue);
  const ids = (await queue.getActive()).map(({ id = '' }) => id);
  expect(ids).toHaveLength(shards);
  await Promise.all(ids.map((id) => untilRenewedTwice(queue.toKey(`${id}:lock`))));
  expect(killed).toEqual([]);
  door.open();
}, 30_000);

/** A lock's remaining time only falls, unless it is renewed; one that is gone is not renewed any more. */
async function untilRenewedTwice(lock: string): Promise<void> {
  let renewals = 0;
  let before = await redis.pttl(lock);
  while (renewals < 2 && before >= 0) {
    const left = await redis.pttl(lock);
    if (left > before) renewals += 1;
    before = left;
  }
  expect(renewals).toBe(2);
}

test('closing hands a running job back to the queue instead of letting it stall', async () => {
  const queues = startQueues();
  const started = createCounter();
  const first = consume({
    queue: replayQueue,
    handle: (_payload, _owner, { stop }) => {
      started.add();
      return new Promise((_, reject) => {
        stop.addEventListener('abort', () => reject(new Error('stopped')));
      });
    },
  });
  await queues.ensureShardJob('replay', key, 0, 'node');
  await started.reaches(1);
  await first.close(5000);
  const queue = inspect(replayQueue);
  expect(await queue.getActiveCount()).toBe(0);
  expect(await queue.getWaitingCount()).toBe(1);
});

test('a job whose lock was taken away is told to end', async () => {
  const queues = startQueues();
  const started = createCounter();
  const ended = new Promise<unknown>((resolve) => {
    consume({
      queue: replayQueue,
      lockDurationMs: 1000,
      handle: (_payload, _owner, { kill }) => {
        started.add();
        return new Promise((_, reject) => {
          kill.addEventListener('abort', () => {
            resolve(kill.reason);
            reject(new Error('killed'));
          });
        });
      },
    });
  });
  await queues.ensureShardJob('replay', key, 0, 'node');
  await started.reaches(1);
  await redis.flushall();
  expect(await ended).toBeInstanceOf(LockLostError);
});

test('a worker that dies again and again never makes a job fail: stalls are counted without limit', async () => {
  const queues = startQueues();
  await queues.ensureShardJob('replay', key, 0, 'node');
  const runs = createCounter();
  const handle = () => {
    runs.add();
    return new Promise<never>(() => undefined);
  };
  for (let death = 1; death <= 3; death += 1) {
    const dying = consume({ queue: replayQueue, lockDurationMs: 1000, stalledCheckMs: 200, handle });
    await runs.reaches(death);
    await dying.close(0);
  }
  const alive = createCounter();
  consume({
    queue: replayQueue,
    stalledCheckMs: 200,
    handle: () => {
      alive.add();
      return Promise.resolve({ type: 'done' });
    },
  });
  await alive.reaches(1);
}, 30_000);

test('a Redis that may evict keys is refused with what to do about it', async () => {
  const queues = startQueues();
  expect(await queues.check()).toBeUndefined();
  await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
  expect(await queues.check()).toMatch(/set maxmemory-policy to noeviction/);
  await redis.config('SET', 'maxmemory-policy', 'noeviction');
});
