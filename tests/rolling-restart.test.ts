import type { ServiceProcess } from '@aosc/local-stack';
import { readIndexSettings } from '@aosc/testkit';
import { type Environment, rightWhen, startEnvironment, until } from './support/environment';
import { expectCopiedOnce } from './support/expectations';
import { countRounds, heldConvergence, letConverge, untilConverging } from './support/held-convergence';
import { blockAlone, heldCutover, openCutover } from './support/held-cutover';
import { type Migration, removeIndices, runMigration, type Scenario } from './support/scenario';
import { readLog } from './support/service-log';
import { stopAll } from './support/stop-all';

jest.setTimeout(600_000);

const held = { ...heldCutover, documents: 8_000, endsWithinMs: 240_000 } as const satisfies Partial<Scenario>;

/** Documents of a bulk: nothing is copied to its end while processes are stopped and started. */
const crawl = { 'aosc.backfill.controller.batch.max_docs': '1' } as const;
const pace = { 'aosc.backfill.controller.batch.max_docs': '500' } as const;

let environment: Environment;
beforeAll(async () => {
  environment = await startEnvironment({
    workers: 2,
    env: {
      // No lock ends within a test: what another process goes on with was handed back to it.
      AOSC_LOCK_DURATION_MS: '600000',
      // As many workers are at work as shards are copied.
      AOSC_WORKER_BACKFILL_CONCURRENCY: '1',
    },
    settings: { 'aosc.backfill.max_concurrent_per_node': '6' },
  });
});
afterAll(() => environment.stop());

test('every process is restarted in BACKFILLING, in CONVERGING and around the cutover: it costs nothing but time', async () => {
  await environment.restore(2);
  await environment.putSettings(crawl);
  const scenario = { ...held, name: 'rolling', options: heldConvergence };
  const result = await runMigration(environment, scenario, async (migration) => {
    await copying(migration, 2);
    await restartAll();
    for (const { phase } of await migration.shards()) expect(phase).toBe('BACKFILLING');
    await environment.putSettings(pace);

    await untilConverging(migration);
    const before = await countRounds(migration);
    await restartAll();
    await until('further rounds', async () => (await countRounds(migration)) > before + 2);
    await letConverge(migration);

    await migration.recordOnce(({ targetRestored }) => targetRestored);
    await Promise.all([restartAll(), openCutover(environment, migration)]);
  });
  expectCopiedOnce(result);
  await expectNothingLost(result.migration);
  // Each shard was handed back at least once, and went on where it was.
  for (const begun of await backfillStarts(result.migration)) {
    const [first = NaN, ...later] = begun;
    expect(later).not.toEqual([]);
    expect(Math.min(...later)).toBeGreaterThan(first);
  }
  await removeIndices(environment, result.migration);
});

test('1 worker becomes 6 and 1 again: all take shards, and what they hand back is gone on with', async () => {
  await environment.restore(1);
  await environment.putSettings(crawl);
  const source = { shards: 6, routingShards: 24 };
  const target = { shards: 12, routingShards: 24 };
  const scenario = {
    name: 'scaled',
    source,
    target,
    documents: 24_000,
    endsWithinMs: held.endsWithinMs,
  };
  const result = await runMigration(environment, scenario, async (migration) => {
    await copying(migration, 1);
    await Promise.all(Array.from({ length: 5 }, () => environment.service.startWorker()));
    await copying(migration, 6);
    const six = environment.workers();
    expect(six).toHaveLength(6);
    for (const worker of six) {
      expect(await readLog(worker, migration.id, 'backfill_start')).not.toEqual([]);
    }
    await stopAll(six.slice(1));
    const owned = (await migration.shards()).filter(({ writer }) => writer.owner !== undefined);
    expect(owned.length).toBeLessThanOrEqual(1);
    await environment.putSettings(pace);
  });
  expectCopiedOnce(result);
  await expectNothingLost(result.migration);
  await removeIndices(environment, result.migration);
});

test('SIGTERM of the scheduler under the write block: another ends the migration', async () => {
  await environment.restore(1);
  await environment.putSettings({ ...pace, ...blockAlone });
  const scenario = { ...held, name: 'rolling-blocked', documents: 2_000 };
  const result = await runMigration(environment, scenario, async (migration) => {
    await openCutover(environment, migration);
    await rightWhen('the write block', async () => {
      const settings = await readIndexSettings(environment.http, migration.source);
      return settings['index.blocks.write'] === 'true';
    });
    await stopAll(schedulers());
    await environment.service.startScheduler();
  });
  expectCopiedOnce(result);
  await expectNothingLost(result.migration);
  await removeIndices(environment, result.migration);
});

function schedulers(): readonly ServiceProcess[] {
  return environment.service.schedulers.filter((scheduler) => scheduler.isRunning());
}

/** One process after the other gets the signal to end, and another takes its place. */
async function restartAll(): Promise<void> {
  const { service } = environment;
  for (const scheduler of schedulers()) {
    await stopAll([scheduler]);
    await service.startScheduler();
  }
  for (const worker of environment.workers()) {
    await stopAll([worker]);
    await service.startWorker();
  }
  await stopAll([service.api]);
  await service.startApi();
}

/** So many shards are owned by a worker that has copied a part of them. */
function copying(migration: Migration, shards: number): Promise<void> {
  return until(`${shards} shards that are copied`, async () => {
    const copied = (await migration.shards()).filter(
      ({ phase, writer, copy }) =>
        phase === 'BACKFILLING' && writer.owner !== undefined && (copy?.watermark ?? 0) > 0,
    );
    return copied.length === shards;
  });
}

/** No shard has lost its snapshot or failed, and none had to be fenced off: nothing was in doubt. */
async function expectNothingLost(migration: Migration): Promise<void> {
  for (const { phase, snapshotsLost, writer } of await migration.shards()) {
    expect({ phase, snapshotsLost, epoch: writer.epoch }).toEqual({
      phase: 'COMPLETED',
      snapshotsLost: 0,
      epoch: 1,
    });
  }
}

/** Where the copies of each shard began, in the order of time. */
async function backfillStarts(migration: Migration): Promise<readonly (readonly number[])[]> {
  const logs = environment.service.workers.map((worker) => readLog(worker, migration.id, 'backfill_start'));
  const lines = (await Promise.all(logs)).flat();
  lines.sort((one, other) => (one.timestamp ?? '').localeCompare(other.timestamp ?? ''));
  const shards = (await migration.shards()).map(({ shard }) => shard);
  return shards.map((shard) =>
    lines.filter((line) => line.shard === shard).map(({ fromSeqNo }) => fromSeqNo ?? NaN),
  );
}
