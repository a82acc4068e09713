import type { RedisAccess } from '@aosc/contract';
import { waitUntil } from '@aosc/local-stack';
import { createBudgets } from '../budgets';
import { type Consumer, createConsumer } from '../consumer';
import { replayQueue } from '../queue-names';
import { createQueues, type Queues } from '../queues';
import { createCounter } from './signals';

const clusterUuid = 'cluster';
const key = '0123456789abcdef0123';
const names = { installationId: 'i', clusterUuid, redisId: 'r' };
const onNode = (nodeId: string, ...shards: readonly number[]) => shards.map((shard) => ({ shard, nodeId }));

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  await waitUntil(isSo, { what, timeoutMs: 30_000, endedBy: [] });
}

/** Whether Redis answers, and nothing is wrong with it. */
export async function isFit(queues: Pick<Queues, 'check'>): Promise<boolean> {
  try {
    return (await queues.check()) === undefined;
  } catch {
    return false;
  }
}

async function untilFit(queues: Queues): Promise<void> {
  let reason: unknown;
  const look = async () => {
    reason = await queues.check().catch((error: unknown) => error);
    return reason === undefined;
  };
  const details = () => `: ${String(reason)}`;
  await waitUntil(look, { what: 'a fit Redis', timeoutMs: 30_000, endedBy: [], details });
}

/** Does once everything that the service does with a Redis, and checks the results. */
export async function useEverything(
  access: RedisAccess,
  prefix: string,
  onError: (error: Error) => void,
): Promise<void> {
  let permits = 2;
  const readPermits = () => Promise.resolve(permits);
  const shared = { ...access, prefix, clusterUuid, onError };
  const queues = createQueues({ ...shared, role: 'impatient', readPermits });
  const { board } = queues;
  try {
    await untilFit(queues);
    await useNames(queues);
    await queues.wakeMigration(key);
    await queues.ensureShardJobs('backfill', key, onNode('a', 0, 1));
    await queues.ensureShardJobs('backfill', key, onNode('b', 1));
    permits = 3;
    await queues.backfills.applyPermits();
    await queues.replaceShardJob('backfill', key, { shard: 0, nodeId: 'a' });
    expect(await queues.backfills.listActive('a')).toEqual([]);
    await board.follow(['a', 'b'], new Map());
    expect(await countJobs(board.list())).toMatchObject({ advance: 1, 'backfill-a': 2, 'backfill-b': 1 });
    await useBudgets(shared);
    await useWorker(queues, shared);
    await queues.dropShardJobs(key, 2);
    await queues.backfills.keepNodes(['a']);
    expect(await countJobs(board.list())).toMatchObject({ 'backfill-b': 0, replay: 0 });
  } finally {
    await queues.close();
  }
}

async function useNames({ mark, workers }: Queues): Promise<void> {
  expect(await mark.read()).toBeUndefined();
  expect(await mark.replace(undefined, names, 1)).toBe(true);
  expect((await mark.read())?.names).toEqual(names);
  expect(await mark.replace('{}', names, 2)).toBe(false);
  await workers.announce('w', 60_000);
  expect(await workers.count()).toBe(1);
  await workers.withdraw('w');
  expect(await workers.count()).toBe(0);
}

/** Jobs that come again at once and later, that are hurried, that fail, and that are handed back. */
async function useWorker(
  queues: Queues,
  shared: RedisAccess & { prefix: string; clusterUuid: string; onError: (error: Error) => void },
): Promise<void> {
  const runs = createCounter();
  const last = createCounter();
  const consume = (handle: Parameters<typeof createConsumer>[0]['handle']): Consumer =>
    createConsumer({
      ...shared,
      onError: (error) => {
        if (error.message !== failure) shared.onError(error);
      },
      queue: replayQueue,
      concurrency: 2,
      lockDurationMs: 10_000,
      stalledCheckMs: 500,
      shortDelays: 'yielding',
      handle,
    });
  await queues.ensureShardJobs('replay', key, onNode('a', 0, 1));
  const first = consume(async (_payload, _owner, { stop, kill }) => {
    runs.add();
    if (runs.count <= 2) return { type: 'again', delayMs: 60_000 };
    if (runs.count === 3) return { type: 'again', delayMs: 50 };
    if (runs.count === 4) throw new Error(failure);
    const ended = AbortSignal.any([stop, kill]);
    await new Promise<void>((resolve) => {
      if (ended.aborted) resolve();
      ended.addEventListener('abort', () => resolve());
    });
    throw ended.reason;
  });
  await runs.reaches(2);
  await until('hurried jobs', async () => {
    await queues.hurryReplays(key, [0, 1]);
    await queues.ensureShardJobs('replay', key, onNode('a', 0, 1));
    return runs.count >= 6;
  });
  await first.close(2000);
  const second = consume(() => {
    last.add();
    return Promise.resolve({ type: 'done' });
  });
  await last.reaches(2);
  await second.close(2000);
}

const failure = 'a failure of the job itself';

async function countJobs(adapters: ReturnType<Queues['board']['list']>): Promise<Record<string, number>> {
  const counts = adapters.map(async (adapter): Promise<[string, number]> => {
    await adapter.isPaused();
    await adapter.getRedisInfo();
    await adapter.getJobCounts();
    const jobs = await adapter.getJobs(['waiting', 'prioritized', 'delayed', 'active']);
    return [adapter.getName(), jobs.length];
  });
  return Object.fromEntries(await Promise.all(counts));
}

/** One process uses up a budget and sets a mark; another process sees both. */
async function useBudgets(shared: Parameters<typeof createBudgets>[0]): Promise<void> {
  let failure: Error | undefined;
  const both = [1, 2].map(() => createBudgets(shared, (error) => (failure = error)));
  try {
    const [one, two] = both.map((budgets) => ({
      points: budgets.budget({ name: 'uses', points: 1, seconds: 3_600 }),
      marks: budgets.marks('marks'),
    }));
    if (one === undefined || two === undefined) throw new Error('there are two');
    let number = 0;
    for (let isShared = false; !isShared; number += 1) {
      // The connections may not be there yet, which passes; a missing right stays missing.
      if (failure !== undefined && /NOPERM|right/.test(failure.message)) throw failure;
      expect(await one.points.take(`key ${number}`)).toBe(0);
      await one.marks.set(`mark ${number}`, 3_600);
      isShared =
        (await two.points.take(`key ${number}`)) > 0 && (await two.marks.has(`mark ${number}`)) === true;
      await two.points.giveBack(`key ${number}`, 1);
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    for (const budgets of both) budgets.close();
  }
}
