import { advanceQueue, keyPrefix, replayQueue } from '@aosc/queue';
import { migrationKey } from '@aosc/store';
import { waitForPhase } from '@aosc/testkit';
import { Queue } from 'bullmq';
import { type BoardClient, createBoardClient } from './support/board';
import { type Environment, startEnvironment, until } from './support/environment';
import { expectClean } from './support/expectations';
import { heldCutover, holdInCatchingUp } from './support/held-cutover';
import { type Migration, runMigration } from './support/scenario';

jest.setTimeout(600_000);

let environment: Environment;
let board: BoardClient;
beforeAll(async () => {
  environment = await startEnvironment({
    settings: {
      'aosc.backfill.controller.batch.max_docs': '40',
      // One backfill runs, the other one's job waits.
      'aosc.backfill.max_concurrent_per_node': '1',
    },
  });
  board = createBoardClient(environment.apiUrl);
});
afterAll(() => environment.stop());

test('all that the board permits, to every queue in every phase: the migration completes, exact', async () => {
  const scenario = {
    ...heldCutover,
    name: 'board',
    documents: 6_000,
    // While the writers write, the gap is never 0 for both shards.
    options: { convergence_threshold_per_shard: 0 },
  };
  const result = await runMigration(environment, scenario, async (migration) => {
    await migration.waitFor('a backfill in its middle', ({ shards }) =>
      Object.values(shards).some(({ backfill }) => (backfill?.documents_indexed ?? 0) > 500),
    );
    const nodeQueue = await nameOfBackfillQueue();
    const { clusterUuid } = await migration.record();
    await leaveOldJobs(clusterUuid, migration.id);
    await until('a job that waits, in words', async () => await showsWaitingBackfill(migration));
    const inBackfill = await board.useEverything();
    expect(inBackfill).toMatchObject({ empty: 4, 'resume all': 1 });
    expect(inBackfill['clean']).toBeGreaterThan(0);
    // The scheduler makes it again.
    await until('the job that was removed', async () => await countJobs(nodeQueue));

    await migration.waitFor('both shards in CONVERGING', ({ shards }) =>
      Object.values(shards).every(({ phase }) => phase === 'CONVERGING'),
    );
    for (let times = 0; times < 5; times += 1) await board.useEverything();
    await roundsGoOn(migration);

    await pausedByAnotherTool(clusterUuid, async () => {
      for (let times = 0; times < 2; times += 1) await board.useEverything();
    });
    await roundsGoOn(migration);

    await migration.writers.pause();
    await migration.waitFor('PREPARING_TARGET', ({ phase }) => phase === 'PREPARING_TARGET');
    await board.useEverything();
    const goOn = await holdInCatchingUp(environment, migration);
    for (let times = 0; times < 3; times += 1) await board.useEverything();
    goOn();
    await board.useEverything();
    await waitForPhase(environment.apiUrl, migration.source, ['COMPLETED']);
  });
  expectClean(result);
  expect(result.migration.watch.setbacks).toEqual([]);
});

async function nameOfBackfillQueue(): Promise<string> {
  const names = (await board.list()).map(({ name }) => name);
  expect(names).toEqual(['advance', expect.stringMatching(/^backfill-/) as unknown, 'catch-up', 'replay']);
  return names[1] ?? '';
}

async function countJobs(name: string): Promise<boolean> {
  const { counts = {} } = (await board.list()).find((queue) => queue.name === name) ?? {};
  return ['waiting', 'prioritized', 'active'].some((status) => (counts[status] ?? 0) > 0);
}

async function showsWaitingBackfill({ id, source, target }: Migration): Promise<boolean> {
  const name = await nameOfBackfillQueue();
  const { jobs = [] } = (await board.list(name)).find((queue) => queue.name === name) ?? {};
  const told = jobs.filter((job) => job.name.startsWith(`backfill ${source} → ${target} shard `));
  for (const { data } of told) expect(data).toMatchObject({ migration: id, phase: 'backfill' });
  return told.length === 2;
}

async function roundsGoOn(migration: Migration): Promise<void> {
  const count = async () =>
    Math.min(...(await migration.shards()).map(({ convergence }) => convergence?.rounds ?? 0));
  const before = await count();
  await until('further rounds', async () => (await count()) > before + 2);
}

/** Jobs that stay in the queue when they have ended, so that there is something to retry: an old one and a wrong one. */
async function leaveOldJobs(clusterUuid: string, id: string): Promise<void> {
  const kept = { removeOnComplete: false, removeOnFail: false };
  await withQueues(clusterUuid, [replayQueue], async ([replay]) => {
    await replay?.add('replay', { v: 1, key: migrationKey(id), shard: 0 }, kept);
    await replay?.add('replay', { v: 1, key: 'nobody', shard: 0 }, kept);
    await replay?.add('replay', { v: 0 }, kept);
    await until('jobs to retry', async () => {
      const counts = await replay?.getJobCounts('failed', 'completed');
      return counts?.['failed'] === 1 && (counts['completed'] ?? 0) >= 1;
    });
  });
}

/** A pause that the board would refuse. The queues run again when the work is done. */
async function pausedByAnotherTool(clusterUuid: string, work: () => Promise<void>): Promise<void> {
  await withQueues(clusterUuid, [advanceQueue, replayQueue], async (queues) => {
    for (const queue of queues) await queue.pause();
    expect((await board.list()).filter(({ isPaused }) => isPaused).map(({ name }) => name)).toEqual([
      advanceQueue,
      replayQueue,
    ]);
    await work();
    for (const queue of queues) expect(await queue.isPaused()).toBe(false);
  });
}

async function withQueues(
  clusterUuid: string,
  names: readonly string[],
  work: (queues: readonly Queue[]) => Promise<void>,
): Promise<void> {
  const prefix = keyPrefix('aosc', clusterUuid);
  const connection = { url: environment.stack.redisUrl };
  const queues = names.map((name) => new Queue(name, { connection, prefix }));
  try {
    await work(queues);
  } finally {
    await Promise.all(queues.map((queue) => queue.close()));
  }
}
