import { connect, createServer, type Socket } from 'node:net';
import { waitUntil } from '@aosc/local-stack';
import { useRedis } from './__tests__/redis-under-test';
import { createCounter, createDoor } from './__tests__/signals';
import { createConnection } from './connection';
import { parseShardJob } from './job-data';
import { LockLostError } from './lock-watch';
import { advanceQueue, backfillQueue, catchUpQueue, replayQueue } from './queue-names';
import type { Queues } from './queues';

jest.setTimeout(60_000);

const key = '0123456789abcdef0123';
const under = useRedis();
const { consume, inspect, startQueues } = under;

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
  await queues.ensureShardJobs('replay', key, [{ shard: 1, nodeId: 'node' }]);
  await queues.ensureShardJobs('replay', key, [{ shard: 1, nodeId: 'node' }]);
  await queues.ensureShardJobs('replay', key, [{ shard: 11, nodeId: 'node' }]);
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
  await queues.ensureShardJobs('replay', key, [{ shard: 1, nodeId: 'node' }]);
  await done.reaches(3);
});

test("the jobs of a migration's shards are dropped, but for one in hand and those of other migrations", async () => {
  const queues = startQueues();
  await queues.ensureShardJobs('backfill', key, [{ shard: 0, nodeId: 'gone' }]);
  await queues.ensureShardJobs('replay', key, [{ shard: 1, nodeId: '' }]);
  await queues.ensureShardJobs('replay', `9${key.slice(1)}`, [{ shard: 1, nodeId: '' }]);
  const started = createCounter();
  const door = createDoor();
  consume({
    queue: catchUpQueue,
    async handle() {
      started.add();
      await door.opened;
      return { type: 'done' };
    },
  });
  await queues.ensureShardJobs('catch_up', key, [{ shard: 2, nodeId: '' }]);
  await started.reaches(1);
  await queues.dropShardJobs(key, 3);
  expect(await inspect(backfillQueue('gone')).getPrioritizedCount()).toBe(0);
  const [other, ...more] = await inspect(replayQueue).getWaiting();
  expect(more).toEqual([]);
  expect(parseShardJob(other?.data)).toMatchObject({ key: `9${key.slice(1)}` });
  expect(await inspect(catchUpQueue).getActiveCount()).toBe(1);
  door.open();
});

test('a process that waits for a job learns of its end, unless the job says that it knows', async () => {
  const queues = startQueues();
  const settled: number[] = [];
  const heard = createCounter();
  consume({
    queue: catchUpQueue,
    concurrency: 1,
    onJobEnded: (payload) => {
      settled.push(parseShardJob(payload).shard);
      heard.add();
    },
    handle: (payload) => Promise.resolve({ type: 'done', isReported: parseShardJob(payload).shard < 2 }),
  });
  for (const shard of [0, 1, 2]) await queues.ensureShardJobs('catch_up', key, [{ shard, nodeId: '' }]);
  await heard.reaches(1);
  expect(settled).toEqual([2]);
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
  await queues.ensureShardJobs('replay', key, [{ shard: 0, nodeId: 'node' }]);
  await runs.reaches(3);
});

test('a job of a later version stays until a process of that version takes it, and is reported once', async () => {
  const queues = startQueues();
  const troubles: string[] = [];
  const refused = createCounter();
  const early = consume({
    queue: replayQueue,
    onError: ({ message }) => troubles.push(message),
    handle: (payload) => {
      refused.add();
      parseShardJob(payload);
      return Promise.resolve({ type: 'done' });
    },
  });
  const queue = inspect(replayQueue);
  await queue.add('replay', { v: 2, key, shard: 0 }, { deduplication: { id: `${key}-0` } });
  await refused.reaches(2);
  // There all the time: what a scheduler of its version adds for the shard is this very job.
  await queues.ensureShardJobs('replay', key, [{ shard: 0, nodeId: '' }]);
  expect(await queue.getJobCountByTypes('wait', 'active', 'delayed')).toBe(1);
  await early.close(0);
  expect(troubles).toEqual([
    expect.stringContaining('a later version of the service has made this shard job'),
  ]);
  const taken = createCounter();
  consume({
    queue: replayQueue,
    handle: (payload) => {
      expect(payload).toEqual({ v: 2, key, shard: 0 });
      taken.add();
      return Promise.resolve({ type: 'done' });
    },
  });
  await taken.reaches(1);
});

test('a job that only waits leaves its slot to those that wait for one', async () => {
  const queues = startQueues();
  const order: number[] = [];
  const enough = createCounter();
  consume({
    queue: replayQueue,
    concurrency: 1,
    shortDelays: 'yielding',
    handle(payload) {
      const { shard } = parseShardJob(payload);
      const isFirst = !order.includes(shard);
      order.push(shard);
      enough.add();
      return Promise.resolve(isFirst ? { type: 'again', delayMs: 900 } : { type: 'done' });
    },
  });
  const places = [0, 1, 2].map((shard) => ({ shard, nodeId: '' }));
  await queues.ensureShardJobs('replay', key, places);
  await enough.reaches(6);
  expect(order.slice(0, 3)).toEqual([0, 1, 2]);
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
    concurrency: 2 * shards, // a free slot waits for jobs, beside the slot that has just put its own back
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
  for (let shard = 0; shard < shards; shard += 1)
    await queues.ensureShardJobs('replay', key, [{ shard: shard, nodeId: '' }]);
  await last.reaches(shards);
  // A lock that was renewed twice has outlived the time it was taken for.
  const queue = inspect(replayQueue);
  const ids = (await queue.getActive()).map(({ id = '' }) => id);
  expect(ids).toHaveLength(shards);
  await Promise.all(ids.map((id) => untilRenewedTwice(queue.toKey(`${id}:lock`))));
  expect(killed).toEqual([]);
  door.open();
}, 30_000);

/** A lock's remaining time only falls, unless it is renewed; a lost lock is not renewed any more. */
async function untilRenewedTwice(lock: string): Promise<void> {
  let renewals = 0;
  let before = await under.redis.pttl(lock);
  while (renewals < 2 && before >= 0) {
    const left = await under.redis.pttl(lock);
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
  await queues.ensureShardJobs('replay', key, [{ shard: 0, nodeId: 'node' }]);
  await started.reaches(1);
  await first.close(5000);
  const queue = inspect(replayQueue);
  expect(await queue.getActiveCount()).toBe(0);
  expect(await queue.getWaitingCount()).toBe(1);
});

test('no two jobs share the signal that ends them, which would remember what each has made of it', async () => {
  const queues = startQueues();
  const stops = new Set<AbortSignal>();
  const done = createCounter();
  const consumer = consume({
    queue: replayQueue,
    handle: (_payload, _owner, { stop }) => {
      stops.add(stop);
      done.add();
      return Promise.resolve({ type: 'done' });
    },
  });
  for (const shard of [0, 1]) await queues.ensureShardJobs('replay', key, [{ shard, nodeId: 'node' }]);
  await done.reaches(2);
  expect(stops.size).toBe(2);
  await consumer.close(5000);
});

test('a job whose lock was taken away has to end', async () => {
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
  await queues.ensureShardJobs('replay', key, [{ shard: 0, nodeId: 'node' }]);
  await started.reaches(1);
  await under.redis.flushall();
  expect(await ended).toBeInstanceOf(LockLostError);
});

test('a worker that dies again and again never makes a job fail: stalls are counted without limit', async () => {
  const queues = startQueues();
  await queues.ensureShardJobs('replay', key, [{ shard: 0, nodeId: 'node' }]);
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

test('a job whose lock can not be renewed has to end while Redis is still away', async () => {
  const queues = startQueues();
  const started = createCounter();
  const ended = new Promise<unknown>((resolve) => {
    consume({
      queue: replayQueue,
      lockDurationMs: 1000,
      handle(_payload, _owner, { kill }) {
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
  await queues.ensureShardJobs('replay', key, [{ shard: 0, nodeId: '' }]);
  await started.reaches(1);
  await under.stack.redis.kill();
  try {
    expect(await ended).toBeInstanceOf(LockLostError);
  } finally {
    await under.stack.redis.restart();
  }
});

test('a machine that is lost without a word is given up, and jobs go on at its successor', async () => {
  const { port, hostname } = new URL(under.stack.redisUrl);
  const relays: { client: Socket; server: Socket }[] = [];
  const address = createServer((client) => {
    const server = connect({ host: hostname, port: Number(port) });
    relays.push({ client, server });
    client.pipe(server).pipe(client);
    client.on('error', () => server.destroy());
    server.on('error', () => client.destroy());
  });
  await new Promise<void>((resolve) => address.listen(0, '127.0.0.1', resolve));
  const found = address.address();
  if (found === null || typeof found === 'string') throw new Error('the address has no port');
  const redisUrl = `redis://127.0.0.1:${found.port}`;
  const runs = createCounter();
  const consumer = consume({
    redisUrl,
    queue: replayQueue,
    handle: () => {
      runs.add();
      return Promise.resolve({ type: 'done' });
    },
  });
  try {
    const queues = startQueues();
    await queues.ensureShardJobs('replay', key, [{ shard: 0, nodeId: '' }]);
    await runs.reaches(1);
    for (const { client, server } of relays) {
      client.unpipe().pause();
      server.unpipe().pause();
    }
    await queues.ensureShardJobs('replay', key, [{ shard: 1, nodeId: '' }]);
    await runs.reaches(2);
  } finally {
    await consumer.close(100);
    for (const { client, server } of relays) [client, server].forEach((socket) => socket.destroy());
    address.close();
  }
});

test('a server that takes no writes any more is replaced by the server that the address leads to', async () => {
  const connection = createConnection({ redisUrl: under.stack.redisUrl }, 'patient', () => undefined);
  try {
    const before = await connection.client('ID');
    await under.redis.replicaof('127.0.0.1', 1);
    await expect(connection.set('written', '1')).rejects.toThrow(/READONLY/);
    await under.redis.replicaof('NO', 'ONE');
    await waitUntil(async () => (await connection.client('ID')) !== before, {
      what: 'another connection',
      timeoutMs: 10_000,
      endedBy: [],
    });
    expect(await connection.set('written', '2')).toBe('OK');
  } finally {
    connection.disconnect();
    await under.redis.replicaof('NO', 'ONE');
  }
});

test('a Redis that may evict keys is refused with what to do about it', async () => {
  const queues = startQueues();
  expect(await queues.check()).toBeUndefined();
  await under.redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
  expect(await queues.check()).toMatch(/set maxmemory-policy to noeviction/);
  await under.redis.config('SET', 'maxmemory-policy', 'noeviction');
});

test('a replay job that rests runs at once when it is hurried, and one that runs or is gone is not touched', async () => {
  const queues = startQueues();
  await queues.ensureShardJobs('replay', key, [
    { shard: 1, nodeId: '' },
    { shard: 2, nodeId: '' },
  ]);
  const runs = createCounter();
  const door = createDoor();
  consume({
    queue: replayQueue,
    concurrency: 2,
    async handle(payload) {
      const { shard } = parseShardJob(payload);
      if (shard === 2) await door.opened;
      else runs.add();
      return shard === 1 && runs.count === 1 ? { type: 'again', delayMs: 3_600_000 } : { type: 'done' };
    },
  });
  await runs.reaches(1);
  await waitUntil(async () => (await inspect(replayQueue).getDelayedCount()) === 1, {
    what: 'the job to rest',
    timeoutMs: 10_000,
    endedBy: [],
  });
  await queues.hurryReplays(key, [1, 2, 3]);
  await runs.reaches(2);
  door.open();
});

test.each<[string, string, (queues: Queues) => Promise<void>]>([
  ['migration', advanceQueue, (queues) => queues.wakeMigration(key)],
  ['shard', replayQueue, (queues) => queues.ensureShardJobs('replay', key, [{ shard: 0, nodeId: '' }])],
  [
    'backfill',
    backfillQueue('a'),
    (queues) => queues.ensureShardJobs('backfill', key, [{ shard: 0, nodeId: 'a' }]),
  ],
])(
  'the job of a %s does not rest for as long as the clock of its worker was ahead',
  async (_, queue, ensure) => {
    const queues = startQueues();
    const runs = createCounter();
    consume({
      queue,
      handle: () => {
        runs.add();
        return Promise.resolve(runs.count === 1 ? { type: 'again', delayMs: 2000 } : { type: 'done' });
      },
    });
    const now = Date.now.bind(Date);
    const ahead = jest.spyOn(Date, 'now').mockImplementation(() => now() + 3_600_000);
    try {
      await ensure(queues);
      await waitUntil(async () => (await inspect(queue).getDelayedCount()) === 1, {
        what: 'the job to rest',
        timeoutMs: 10_000,
        endedBy: [],
      });
    } finally {
      ahead.mockRestore();
    }
    await ensure(queues);
    await runs.reaches(2);
  },
);

test('a long rest that is meant stays', async () => {
  const queues = startQueues();
  const consumer = consume({
    queue: replayQueue,
    handle: () => Promise.resolve({ type: 'again', delayMs: 600_000 }),
  });
  const ensure = () => queues.ensureShardJobs('replay', key, [{ shard: 0, nodeId: '' }]);
  await ensure();
  const isResting = async () => (await inspect(replayQueue).getDelayedCount()) === 1;
  await waitUntil(isResting, { what: 'the job to rest', timeoutMs: 10_000, endedBy: [] });
  await consumer.close(100);
  await ensure();
  expect(await inspect(replayQueue).getDelayedCount()).toBe(1);
});

test('jobs are counted by queue and by what becomes of them; those of all nodes are backfill', async () => {
  const queues = startQueues();
  const none = { waiting: 0, active: 0, delayed: 0 };
  expect(await queues.countJobs()).toMatchObject({
    advance: none,
    backfill: none,
    replay: none,
    'catch-up': none,
  });
  const places = [0, 1, 2].map((shard) => ({ shard, nodeId: shard === 0 ? 'a' : 'b' }));
  await queues.ensureShardJobs('backfill', key, places);
  await queues.ensureShardJobs('catch_up', key, places);
  await queues.wakeMigration(key);
  const started = createCounter();
  const door = createDoor();
  consume({
    queue: backfillQueue('b'),
    async handle() {
      started.add();
      await door.opened;
      return { type: 'done' };
    },
  });
  await started.reaches(2);
  expect(await queues.countJobs()).toMatchObject({
    advance: { ...none, waiting: 1 },
    backfill: { ...none, waiting: 1, active: 2 },
    replay: none,
    'catch-up': { ...none, waiting: 3 },
  });
  door.open();
});
