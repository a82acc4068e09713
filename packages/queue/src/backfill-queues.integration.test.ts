import { waitUntil } from '@aosc/local-stack';
import { Queue } from 'bullmq';
import { useRedis } from './__tests__/redis-under-test';
import { createCounter, createDoor } from './__tests__/signals';
import type { HandlerResult } from './consumer';
import { parseShardJob } from './job-data';
import { backfillQueue, replayQueue } from './queue-names';
import type { Queues } from './queues';

jest.setTimeout(60_000);

const key = '0123456789abcdef0123';
const other = 'fedcba98765432100123';
const done = { type: 'done' } satisfies HandlerResult;
const under = useRedis();
const { consume, inspect, startQueues } = under;

/** Queues backfills of the first shards of a migration. */
function addShards(queues: Queues, count: number, nodeId = 'node', migration = key): Promise<void> {
  const places = Array.from({ length: count }, (_, shard) => ({ shard, nodeId }));
  return queues.ensureShardJobs('backfill', migration, places);
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  await waitUntil(isSo, { what, timeoutMs: 20_000, endedBy: [] });
}

/** Jobs that end when the door opens, and how many of them have begun. */
function holdJobs(nodeId = 'node') {
  const running = createCounter();
  const door = createDoor();
  const consumer = consume({
    queue: backfillQueue(nodeId),
    shortDelays: 'released',
    lockDurationMs: 1000,
    stalledCheckMs: 200,
    async handle() {
      running.add();
      await door.opened;
      return done;
    },
  });
  return { running, door, consumer };
}

test('the permits are written before a job is added, also again after FLUSHALL', async () => {
  under.permits = 1;
  const queues = startQueues();
  await addShards(queues, 1);
  await under.redis.flushall();
  await addShards(queues, 2);
  const queue = inspect(backfillQueue('node'));
  expect(await queue.getGlobalConcurrency()).toBe(1);
  const { running, door } = holdJobs();
  await running.reaches(1);
  expect(await queue.getActiveCount()).toBe(1);
  expect(await queue.getPrioritizedCount()).toBe(1);
  door.open();
  await running.reaches(2);
});

async function countDue(queues: Pick<Queues, 'countJobs'>): Promise<readonly number[]> {
  const { backfill, replay, 'catch-up': catchUp } = await queues.countJobs();
  return [backfill.due, replay.due, catchUp.due];
}

test('jobs are due that run or wait for a worker, at all nodes; those that wait for a permit are not', async () => {
  under.permits = 2;
  const queues = startQueues();
  expect(await countDue(queues)).toEqual([0, 0, 0]);
  await addShards(queues, 5);
  await addShards(queues, 1, 'another', other);
  await queues.ensureShardJobs('replay', key, [{ shard: 7, nodeId: '' }]);
  expect(await countDue(queues)).toEqual([3, 1, 0]);
  const { running } = holdJobs();
  await running.reaches(2);
  expect(await countDue(queues)).toEqual([3, 1, 0]);
});

test('0 permits let nothing start, and raising them grants at once', async () => {
  under.permits = 0;
  const queues = startQueues();
  await addShards(queues, 1);
  const others = createCounter();
  const { running } = holdJobs();
  consume({
    queue: replayQueue,
    handle() {
      others.add();
      return Promise.resolve(done);
    },
  });
  await queues.ensureShardJobs('replay', key, [{ shard: 0, nodeId: '' }]);
  await others.reaches(1);
  expect(running.count).toBe(0);
  under.permits = 2;
  await queues.backfills.applyPermits();
  await running.reaches(1);
});

test('permits that fall are not granted again until enough of the held ones have ended', async () => {
  under.permits = 3;
  const queues = startQueues();
  await addShards(queues, 4);
  const doors = [createDoor(), createDoor(), createDoor(), createDoor()];
  const running = createCounter();
  consume({
    queue: backfillQueue('node'),
    async handle(payload) {
      running.add();
      await doors[parseShardJob(payload).shard]?.opened;
      return done;
    },
  });
  await running.reaches(3);
  under.permits = 1;
  await queues.backfills.applyPermits();
  const queue = inspect(backfillQueue('node'));
  for (const left of [2, 1]) {
    doors[2 - left]?.open();
    await until('a held permit to end', async () => (await queue.getActiveCount()) === left);
    expect(running.count).toBe(3);
  }
  doors[2]?.open();
  await running.reaches(4);
  doors[3]?.open();
});

test('a queue that an operator has paused stays paused when the permits grow', async () => {
  under.permits = 0;
  const queues = startQueues();
  await addShards(queues, 1);
  const queue = inspect(backfillQueue('node'));
  await queue.pause();
  const { running } = holdJobs();
  under.permits = 3;
  await queues.backfills.applyPermits();
  expect(await queue.isPaused()).toBe(true);
  expect(running.count).toBe(0);
  await queue.resume();
  await running.reaches(1);
});

test('a process that is slow to write an old value looks again, and leaves the new one', async () => {
  const read = createDoor();
  const answered = createDoor();
  const queues = startQueues();
  await addShards(queues, 1);
  let reads = 0;
  const slow = startQueues({
    async readPermits() {
      const value = under.permits;
      reads += 1;
      if (reads === 1) {
        read.open();
        await answered.opened;
      }
      return value;
    },
  });
  under.permits = 7;
  const writing = slow.backfills.applyPermits();
  await read.opened;
  under.permits = 1;
  await queues.backfills.applyPermits();
  answered.open();
  await writing;
  expect(await inspect(backfillQueue('node')).getGlobalConcurrency()).toBe(1);
});

test('the permit of a job whose worker has died is reclaimed, and its job goes first', async () => {
  under.permits = 1;
  const queues = startQueues();
  await addShards(queues, 2);
  const first = holdJobs();
  await first.running.reaches(1);
  await first.consumer.close(0);
  const order: number[] = [];
  const both = createCounter();
  consume({
    queue: backfillQueue('node'),
    stalledCheckMs: 200,
    handle(payload) {
      order.push(parseShardJob(payload).shard);
      both.add();
      return Promise.resolve(done);
    },
  });
  await both.reaches(2);
  expect(order).toEqual([0, 1]);
});

test('a job that waits to run again holds no permit', async () => {
  under.permits = 1;
  const queues = startQueues();
  await addShards(queues, 2);
  const seen: number[] = [];
  const ended = createCounter();
  consume({
    queue: backfillQueue('node'),
    shortDelays: 'released',
    handle(payload) {
      const { shard } = parseShardJob(payload);
      seen.push(shard);
      if (seen.length === 1) return Promise.resolve({ type: 'again', delayMs: 500 });
      ended.add();
      return Promise.resolve(done);
    },
  });
  await ended.reaches(2);
  expect(seen).toEqual([0, 1, 0]);
});

test('the limit is one for all workers, and the oldest job is the first in the list', async () => {
  under.permits = 3;
  const queues = startQueues();
  await addShards(queues, 12);
  let now = 0;
  let max = 0;
  const ended = createCounter();
  const lists: (readonly string[])[] = [];
  for (let worker = 0; worker < 6; worker += 1) {
    consume({
      queue: backfillQueue('node'),
      async handle() {
        now += 1;
        max = Math.max(max, now);
        lists.push(await queues.backfills.listActive('node'));
        now -= 1;
        ended.add();
        return done;
      },
    });
  }
  await ended.reaches(12);
  expect(max).toBeLessThanOrEqual(3);
  for (const list of lists) {
    const shards = list.map((name) => Number(name.slice(key.length + 1)));
    expect(shards).toEqual([...shards].sort((a, b) => a - b));
  }
});

test('migrations take turns, however many shards one of them has', async () => {
  under.permits = 1;
  const queues = startQueues();
  await addShards(queues, 50);
  await addShards(queues, 3, 'node', other);
  await addShards(queues, 50);
  const taken: string[] = [];
  const enough = createCounter();
  consume({
    queue: backfillQueue('node'),
    handle(payload) {
      taken.push(parseShardJob(payload).key);
      enough.add();
      return Promise.resolve(done);
    },
  });
  await enough.reaches(53);
  const others = taken.flatMap((each, at) => (each === other ? [at] : []));
  expect(others).toEqual([2, 4, 6]);
});

test('a job that waits for another node moves, a running one stays to its end', async () => {
  const queues = startQueues();
  await addShards(queues, 2, 'a');
  await addShards(queues, 2, 'b');
  expect(await inspect(backfillQueue('a')).getPrioritizedCount()).toBe(0);
  expect(await inspect(backfillQueue('b')).getPrioritizedCount()).toBe(2);
  const { running, door } = holdJobs('b');
  await running.reaches(2);
  await addShards(queues, 2, 'a');
  expect(await inspect(backfillQueue('b')).getActiveCount()).toBe(2);
  expect(await inspect(backfillQueue('a')).getPrioritizedCount()).toBe(2);
  door.open();
});

test('a job that is none of the service does not keep others from a permit', async () => {
  const queues = startQueues();
  await inspect(backfillQueue('node')).add('intruder', { v: 0 }, { priority: 1 });
  await addShards(queues, 2);
  const { running } = holdJobs();
  await running.reaches(2);
  const [unknown, shard] = await queues.backfills.listActive('node');
  expect([unknown, shard]).toEqual([expect.stringMatching(/^job /), `${key}-0`]);
});

test('the queue of a node that is gone is removed, by a scheduler that never knew it', async () => {
  const queues = startQueues();
  await addShards(queues, 3, 'gone');
  await addShards(queues, 1, 'stays', other);
  const { running, door, consumer } = holdJobs('gone');
  await running.reaches(2);
  const restarted = startQueues();
  await restarted.backfills.keepNodes(['stays']);
  // A worker still runs two of its jobs.
  expect(await inspect(backfillQueue('gone')).getPrioritizedCount()).toBe(1);
  door.open();
  await running.reaches(3);
  await consumer.close(1000);
  await restarted.backfills.keepNodes(['stays']);
  expect(await under.redis.keys(`${under.keys}:${backfillQueue('gone')}:*`)).toEqual([]);
  expect(await inspect(backfillQueue('stays')).getPrioritizedCount()).toBe(1);
  // A job that was there is nowhere now, and can be queued again.
  await addShards(queues, 3, 'stays');
  expect(await inspect(backfillQueue('stays')).getPrioritizedCount()).toBe(4);
});

test('a scheduler closes the queue that another has removed, and no other', async () => {
  const queues = startQueues();
  await addShards(queues, 1, 'gone');
  await addShards(queues, 1, 'stays', other);
  const second = startQueues();
  await second.backfills.applyPermits();
  await queues.backfills.keepNodes(['stays']);
  const close = jest.spyOn(Queue.prototype, 'close');
  try {
    await second.backfills.keepNodes(['stays']);
    expect(close.mock.contexts).toEqual([expect.objectContaining({ name: backfillQueue('gone') })]);
    await second.backfills.keepNodes(['stays']);
    expect(close).toHaveBeenCalledTimes(1);
  } finally {
    close.mockRestore();
  }
});

test('keys of a queue that stands in no list are found and removed', async () => {
  const queues = startQueues();
  await addShards(queues, 1, 'left');
  await under.redis.del(`${under.keys}:nodes`);
  await until('the keys to be gone', async () => {
    await queues.backfills.keepNodes(['other']);
    return (await under.redis.keys(`${under.keys}:${backfillQueue('left')}:*`)).length === 0;
  });
});

test('jobs of a dead worker do not keep the queue of a gone node', async () => {
  const queues = startQueues();
  await addShards(queues, 1, 'gone');
  const { running, consumer } = holdJobs('gone');
  await running.reaches(1);
  await consumer.close(0);
  await until('the queue to be gone', async () => {
    await queues.backfills.keepNodes([]);
    return (await under.redis.keys(`${under.keys}:${backfillQueue('gone')}:*`)).length === 0;
  });
});
