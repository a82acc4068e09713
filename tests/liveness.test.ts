import type { ServiceProcess } from '@aosc/local-stack';
import {
  cancelMigration,
  createHold,
  createSourceIndex,
  createTargetIndex,
  deleteIndices,
  type HttpFaultProxy,
  readIndexSettings,
  startHttpFaultProxy,
  startMigration,
  waitForPhase,
} from '@aosc/testkit';
import { type Environment, startEnvironment, until } from './support/environment';
import { expectClean, expectKept } from './support/expectations';
import { blockAlone, heldCutover, holdInCatchingUp } from './support/held-cutover';
import {
  type Migration,
  type MigrationResult,
  removeIndices,
  runMigration,
  type Scenario,
} from './support/scenario';
import { readLog } from './support/service-log';

jest.setTimeout(600_000);

const documents = 12_000;
const shape = {
  source: { shards: 2, routingShards: 8 },
  target: { shards: 4, routingShards: 8 },
  documents,
} as const satisfies Partial<Scenario>;
const writeBlockMaxMs = 10_000;
/** For a look at the records, an abort, and the writers' next try, on a machine whose every core is busy. */
const blockSlackMs = 10_000;

let environment: Environment;
let proxy: HttpFaultProxy;
beforeAll(async () => {
  environment = await startEnvironment({
    workers: 0,
    env: {
      // No lock ends within a test: what happens is the doing of `aosc.liveness.*`.
      AOSC_LOCK_DURATION_MS: '240000',
      // Long enough for a busy machine; a worker counts as hanging after twice as long.
      AOSC_REQUEST_TIMEOUT_MS: '10000',
      AOSC_WRITE_BLOCK_MAX_MS: String(writeBlockMaxMs),
    },
    settings: {
      ...blockAlone,
      'aosc.backfill.controller.batch.max_docs': '40',
      'aosc.liveness.check_interval': '5s',
      'aosc.liveness.timeout': '10s',
      // The job of a worker that hangs keeps its permit for as long as its lock lasts.
      'aosc.backfill.max_concurrent_per_node': '4',
    },
  });
  const [url = ''] = environment.urls;
  proxy = await startHttpFaultProxy(url);
});
afterAll(async () => {
  await proxy.stop();
  await environment.stop();
});

test('SIGSTOP of the only worker in BACKFILLING: another takes its shards over after the timeout', async () => {
  const asleep = await environment.service.startWorker();
  const result = await runMigration(environment, { ...shape, name: 'live-asleep' }, async (migration) => {
    await midBackfill(migration);
    await asleep.kill('SIGSTOP');
    await environment.service.startWorker();
    await bothReplaced(migration, 1);
    await until('the other worker at both shards', async () =>
      (await migration.shards()).every(({ writer }) => writer.owner !== undefined && writer.fenceReady),
    );
    await asleep.kill('SIGCONT');
    await until('the sleeper to notice', async () => {
      const lost = await readLog(asleep, migration.id, 'shard_lost');
      return new Set(lost.map(({ shard }) => shard)).size === 2;
    });
  });
  expectClean(result);
  expect(result.status.waiting_for).toBeUndefined();
  await removeIndices(environment, result.migration);
});

test('a worker that beats and gets no answer to its bulks: another takes its shards over', async () => {
  await environment.restore(0);
  const deaf = await environment.service.startWorker({
    AOSC_OPENSEARCH_URL: proxy.url,
    AOSC_REQUEST_TIMEOUT_MS: '5000',
  });
  const result = await runMigration(environment, { ...shape, name: 'live-deaf' }, async (migration) => {
    await midBackfill(migration);
    const before = (await migration.shards()).map(({ writer }) => writer.heartbeatAtMillis);
    const never = createHold<'drop'>();
    // Beats of several shards may go in a bulk as well, and those get through.
    const isOfDocuments = (path: string) => path.includes('/_bulk') && !path.startsWith('/.aosc-migrations/');
    proxy.addRule(({ path }) => (isOfDocuments(path) ? { before: never.wait } : undefined));
    await environment.service.startWorker();
    await bothReplaced(migration, 1);
    expect(never.isReached()).toBe(true);
    // It was alive all the time: its beats got through.
    const beaten = await readLog(deaf, migration.id, 'heartbeat_failed');
    expect(beaten).toEqual([]);
    for (const [shard, { writer }] of (await migration.shards()).entries()) {
      expect(writer.heartbeatAtMillis).toBeGreaterThan(before[shard] ?? Infinity);
    }
    await until('the deaf one to notice', async () => {
      const lost = await readLog(deaf, migration.id, 'shard_lost');
      return new Set(lost.map(({ shard }) => shard)).size === 2;
    });
    await waitForPhase(environment.apiUrl, migration.source, ['PREPARING_TARGET', 'COMPLETED']);
    // The node that still hangs must not get the swap's own last round.
    await deaf.stop();
  });
  expectClean(result);
  await removeIndices(environment, result.migration);
});

test('without any worker a migration waits and says so, and goes on when one comes', async () => {
  await environment.restore(0);
  const scenario = { ...shape, name: 'live-nobody' };
  const result = await runMigration(environment, scenario, async (migration) => {
    const before = Date.now();
    const { waiting_for: waitingFor, phase } = await migration.waitFor(
      'a migration that waits',
      (status) => status.waiting_for !== undefined,
    );
    expect({ phase, reason: waitingFor?.reason }).toEqual({ phase: 'ACTIVE', reason: 'worker' });
    expect(waitingFor?.since_millis).toBeLessThanOrEqual(Date.now());
    expect(waitingFor?.since_millis).toBeGreaterThan(before - 60_000);
    expect(await readLog(scheduler(), migration.id, 'waiting')).toHaveLength(1);
    await environment.service.startWorker();
    await migration.waitFor('a migration that goes on', (status) => status.waiting_for === undefined);
    await showsProgress(migration);
  });
  expectClean(result);
  expectProgressAtEnd(result);
  await removeIndices(environment, result.migration);
});

test('under the write block without a worker it fails in time, and writes flow again', async () => {
  await environment.restore(1);
  const scenario = { ...heldCutover, name: 'live-blocked', documents: 2_000 };
  const result = await runMigration(environment, scenario, async (migration) => {
    const wake = await holdInCatchingUp(environment, migration);
    const status = await waitForPhase(environment.apiUrl, migration.source, ['FAILED']);
    expect(status.error_message).toContain('AOSC_WRITE_BLOCK_MAX_MS');
    const ended = status.transition_history?.map(({ phase }) => phase).slice(-3);
    expect(ended).toEqual(['CATCHING_UP', 'FAILING', 'FAILED']);
    wake();
  });
  expectKept(result);
  const { source, target, alias } = result.migration;
  const settings = await readIndexSettings(environment.http, source);
  expect(settings['index.blocks.write'] ?? 'false').toBe('false');
  expect(result.writers.operationsByIndex[target] ?? 0).toBe(0);
  // An application that writes through the alias reaches the source, after the end as well.
  expect(result.writers.operationsByIndex[source]).toBeGreaterThan(0);
  expect(alias).toBe(scenario.name);
  await removeIndices(environment, result.migration);
});

test('under the write block with a Redis that hangs, among other migrations: it fails in time, and writes flow again', async () => {
  await environment.restore(1);
  const { redis } = environment.stack;
  const others = Array.from({ length: 6 }, (_, n) => `live-other-${n}`);
  const scenario = { ...heldCutover, name: 'live-silence', documents: 2_000 };
  const result = await runMigration(environment, scenario, async (migration) => {
    const wake = await holdInCatchingUp(environment, migration, async () => {
      for (const name of others) await startWaiting(name);
    });
    redis.pause();
    const pausedAt = Date.now();
    try {
      const firstWrite = () => migration.acknowledgedAt.find((at) => at > pausedAt);
      await until('writes that flow again', () => firstWrite() !== undefined);
      const { requestedAtMillis = NaN } = (await migration.record()).writeBlock ?? {};
      expect((firstWrite() ?? NaN) - requestedAtMillis).toBeLessThan(writeBlockMaxMs + blockSlackMs);
      // An abort needs no Redis.
      await migration.recordOnce(({ phase }) => phase === 'FAILED');
    } finally {
      redis.resume();
    }
    wake();
  });
  expectKept(result);
  expect(result.status.error_message).toContain('AOSC_WRITE_BLOCK_MAX_MS');
  await removeIndices(environment, result.migration);
  for (const name of others) await cancelMigration(environment.apiUrl, `${name}-v1`);
  for (const name of others) await waitForPhase(environment.apiUrl, `${name}-v1`, ['CANCELLED']);
  await deleteIndices(
    environment.http,
    others.flatMap((name) => [`${name}-v1`, `${name}-v2`]),
  );
});

/** A migration that no worker works on. */
async function startWaiting(alias: string): Promise<void> {
  const { http, apiUrl } = environment;
  const [source, target] = [`${alias}-v1`, `${alias}-v2`];
  await createSourceIndex(http, { name: source, alias, shards: 1 });
  await createTargetIndex(http, { name: target, shards: 1 });
  await startMigration(apiUrl, { source, target, alias });
}

function scheduler(): ServiceProcess {
  const running = environment.service.schedulers.find((process) => process.isRunning());
  if (running === undefined) throw new Error('no scheduler runs');
  return running;
}

async function midBackfill(migration: Migration): Promise<void> {
  const share = documents / shape.source.shards;
  await migration.waitFor('a backfill in its middle', ({ shards }) =>
    Object.values(shards).every(({ backfill }) => (backfill?.documents_indexed ?? 0) > share * 0.2),
  );
  for (const { phase } of await migration.shards()) expect(phase).toBe('BACKFILLING');
}

/** The scheduler has taken both shards from their worker. */
async function bothReplaced(migration: Migration, epoch: number): Promise<void> {
  await until('both shards to be taken from their worker', async () => {
    const replaced = await readLog(scheduler(), migration.id, 'owner_replaced');
    return new Set(replaced.map(({ shard }) => shard)).size === 2;
  });
  for (const { writer } of await migration.shards()) expect(writer.epoch).toBeGreaterThan(epoch);
}

/** A shard that is copied shows how fast, and what its worker asks of the cluster. */
async function showsProgress(migration: Migration): Promise<void> {
  const { shards, progress } = await migration.waitFor('a rate', (status) =>
    Object.values(status.shards).some(
      (shard) => shard.flow !== undefined && (shard.progress?.remaining_seconds ?? 0) > 0,
    ),
  );
  const copied = Object.values(shards).find((shard) => (shard.progress?.remaining_seconds ?? 0) > 0);
  expect(copied?.progress?.documents_per_second).toBeGreaterThan(0);
  expect(copied?.progress?.bytes_per_second).toBeGreaterThan(copied?.progress?.documents_per_second ?? 0);
  expect(copied?.flow).toMatchObject({ controller: 'adaptive_batch', concurrency: 1, pauses: 0 });
  expect(progress?.documents_per_second).toBeGreaterThan(0);
}

/** All documents counted at the opening of the snapshots are copied, and no worker is at work any more. */
function expectProgressAtEnd({ status, migration }: MigrationResult): void {
  const snapshots = [...migration.watch.firstSnapshots.values()];
  const counted = snapshots.reduce((sum, { documentCount }) => sum + documentCount, 0);
  expect(status.progress).toMatchObject({ total_documents: counted, documents_per_second: 0 });
  for (const { progress, backfill, flow } of Object.values(status.shards)) {
    expect(progress).toEqual({ total_documents: backfill?.documents_indexed, copied_percent: 100 });
    expect(flow).toBeUndefined();
  }
}
