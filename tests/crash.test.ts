import { createParser } from '@aosc/contract';
import { fenceAlias } from '@aosc/domain';
import type { ServiceProcess } from '@aosc/local-stack';
import { migrationKey } from '@aosc/store';
import { callRaw, readIndexSettings, waitForPhase } from '@aosc/testkit';
import { Type } from '@sinclair/typebox';
import { type Environment, rightWhen, startEnvironment, until } from './support/environment';
import { expectClean, expectCopiedOnce } from './support/expectations';
import { countRounds, heldConvergence, letConverge, untilConverging } from './support/held-convergence';
import { blockAlone, heldCutover, holdInCatchingUp, longHold, openCutover } from './support/held-cutover';
import { flushRedis } from './support/redis';
import {
  type Migration,
  openedInVainMs,
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

let environment: Environment;
beforeAll(async () => {
  environment = await startEnvironment({
    settings: { 'aosc.backfill.controller.batch.max_docs': '40' },
  });
});
beforeEach(() => environment.restore(1));
afterAll(() => environment.stop());

test('kill -9 of the only worker in BACKFILLING: another goes on from its watermark', async () => {
  const scenario = { ...shape, name: 'crash-kill', leftoversWithinMs: openedInVainMs };
  const result = await runMigration(environment, scenario, async (migration) => {
    await midBackfill(migration);
    await onlyWorker().kill();
    const copied = (await migration.shards()).map(({ copy }) => copy?.watermark ?? 0);
    expect(Math.min(...copied)).toBeGreaterThan(0);
    const next = await environment.service.startWorker();
    await expectResumed(next, migration, copied);
    // The last owner has died with its bulks in doubt: they are fenced off.
    for (const { writer } of await migration.shards()) expect(writer.epoch).toBeGreaterThan(1);
  });
  expectCopiedOnce(result);
  await removeIndices(environment, result.migration);
});

test('SIGTERM of the only worker in BACKFILLING: it hands its shards back, and another goes on', async () => {
  const result = await runMigration(environment, { ...shape, name: 'crash-term' }, async (migration) => {
    await midBackfill(migration);
    // 0 is the exit code of a shutdown that was done within its bound.
    expect(await onlyWorker().stop()).toBe(0);
    const handedBack = await migration.shards();
    for (const { phase, writer } of handedBack) {
      expect(phase).toBe('BACKFILLING');
      expect(writer).not.toHaveProperty('owner');
    }
    const next = await environment.service.startWorker();
    const copied = handedBack.map(({ copy }) => copy?.watermark ?? 0);
    await expectResumed(next, migration, copied);
    // Nothing was in doubt, so the fence is the same.
    for (const { writer } of await migration.shards()) expect(writer.epoch).toBe(1);
  });
  expectCopiedOnce(result);
  await removeIndices(environment, result.migration);
});

test('a paused worker that wakes up after another has taken over changes nothing', async () => {
  const result = await runMigration(environment, { ...shape, name: 'crash-pause' }, async (migration) => {
    await midBackfill(migration);
    const asleep = onlyWorker();
    await asleep.kill('SIGSTOP');
    await environment.service.startWorker();
    await until('the other worker at both shards', async () =>
      (await migration.shards()).every(({ writer }) => writer.epoch > 1 && writer.fenceReady),
    );
    // What the sleeper would send next, through the fence it knows.
    for (const shard of [0, 1]) {
      const fence = fenceAlias(migrationKey(migration.id), shard, 1);
      expect(await writeThrough(fence)).toBe(404);
    }
    await asleep.kill('SIGCONT');
    await until('the sleeper to notice', async () => {
      const lost = await readLog(asleep, migration.id, 'shard_lost');
      return new Set(lost.map(({ shard }) => shard)).size === 2;
    });
  });
  expectCopiedOnce(result);
  await removeIndices(environment, result.migration);
});

test('FLUSHALL on Redis in BACKFILLING: the jobs are made again', async () => {
  const result = await runMigration(
    environment,
    { ...shape, name: 'crash-flush-copy' },
    async (migration) => {
      await midBackfill(migration);
      await flushRedis(environment.stack.redisUrl);
    },
  );
  expectCopiedOnce(result);
  await removeIndices(environment, result.migration);
});

test('FLUSHALL on Redis in CONVERGING: the jobs are made again', async () => {
  const scenario = {
    ...shape,
    name: 'crash-flush-replay',
    documents: 2_000,
    options: heldConvergence,
  };
  const result = await runMigration(environment, scenario, async (migration) => {
    await untilConverging(migration);
    const before = await countRounds(migration);
    await flushRedis(environment.stack.redisUrl);
    await until('further rounds', async () => (await countRounds(migration)) > before + 5);
    await letConverge(migration);
  });
  expectCopiedOnce(result);
  await removeIndices(environment, result.migration);
});

test.each<['hold' | 'block', string, (migration: Migration) => Promise<void>]>([
  ['hold', 'announced', ({ recordOnce }) => recordOnce(({ writeHold }) => writeHold !== undefined)],
  ['hold', 'set', (migration) => sourceHas(migration, 'index.write.wait_for_active_shards', 'all')],
  ['block', 'announced', ({ recordOnce }) => recordOnce(({ writeBlock }) => writeBlock !== undefined)],
  ['block', 'set', (migration) => sourceHas(migration, 'index.blocks.write', 'true')],
])(
  'kill -9 of the scheduler when the write %s is %s: another ends the migration',
  async (what, when, isTime) => {
    await environment.putSettings(what === 'hold' ? longHold : blockAlone);
    const scenario = { ...heldCutover, name: `crash-${what}-${when}`, documents: 2_000 };
    const result = await runMigration(environment, scenario, async (migration) => {
      await migration.waitFor('PREPARING_TARGET', ({ phase }) => phase === 'PREPARING_TARGET');
      await openCutover(environment, migration);
      await isTime(migration);
      await killScheduler();
      const { phase, committed } = await migration.record();
      expect({ phase, committed }).toEqual({
        phase: expect.stringMatching(/CUTTING_OVER|CATCHING_UP|COMPLETING/) as unknown,
        committed: false,
      });
      await environment.service.startScheduler();
      await waitForPhase(environment.apiUrl, migration.source, ['COMPLETED']);
    });
    expectClean(result);
    await removeIndices(environment, result.migration);
  },
);

test('kill -9 of the scheduler in CATCHING_UP: another ends the migration', async () => {
  await environment.putSettings(blockAlone);
  const scenario = { ...heldCutover, name: 'crash-catch-up', documents: 2_000 };
  const result = await runMigration(environment, scenario, async (migration) => {
    const goOn = await holdInCatchingUp(environment, migration);
    await killScheduler();
    goOn();
    await environment.service.startScheduler();
    await waitForPhase(environment.apiUrl, migration.source, ['COMPLETED']);
  });
  expectClean(result);
  await removeIndices(environment, result.migration);
});

function onlyWorker(): ServiceProcess {
  const [worker, ...others] = environment.workers();
  if (worker === undefined || others.length > 0)
    throw new Error(`${others.length + 1} workers instead of one`);
  return worker;
}

function sourceHas({ source }: Migration, setting: string, value: string): Promise<void> {
  return rightWhen(
    setting,
    async () => (await readIndexSettings(environment.http, source))[setting] === value,
  );
}

async function killScheduler(): Promise<void> {
  const running = environment.service.schedulers.filter((scheduler) => scheduler.isRunning());
  expect(running).toHaveLength(1);
  await Promise.all(running.map((scheduler) => scheduler.kill()));
}

/** Both shards have copied a part that is worth keeping, and together far from everything. */
async function midBackfill(migration: Migration): Promise<void> {
  const share = documents / shape.source.shards;
  await migration.waitFor('a backfill in its middle', ({ shards }) =>
    Object.values(shards).every(({ backfill }) => (backfill?.documents_indexed ?? 0) > share * 0.2),
  );
  for (const { phase, backfill } of await migration.shards()) {
    expect(phase).toBe('BACKFILLING');
    expect(backfill?.documentsIndexed).toBeLessThan(share * 0.8);
  }
}

/** The worker began each shard's copy where the one before had recorded it to be. */
async function expectResumed(
  worker: ServiceProcess,
  migration: Migration,
  watermarks: readonly number[],
): Promise<void> {
  await until('the backfill to go on', async () => {
    const begun = await readLog(worker, migration.id, 'backfill_start');
    return new Set(begun.map(({ shard }) => shard)).size === watermarks.length;
  });
  const first = (await readLog(worker, migration.id, 'backfill_start')).slice(0, watermarks.length);
  for (const { shard = -1, fromSeqNo } of first) expect(fromSeqNo).toBe(watermarks[shard]);
  for (const { snapshotsLost } of await migration.shards()) expect(snapshotsLost).toBe(0);
}

const parseWritten = createParser(
  'answer of _bulk',
  Type.Object({
    items: Type.Array(
      Type.Object({ index: Type.Object({ status: Type.Integer(), result: Type.Optional(Type.String()) }) }),
    ),
  }),
);

/** Sends one document through an alias. @returns its status */
async function writeThrough(alias: string): Promise<number | undefined> {
  const body = '{"index":{"_id":"intruder","require_alias":true}}\n{"key":"intruder"}\n';
  const contentType = 'application/x-ndjson';
  const bytes = await callRaw(environment.http, {
    method: 'POST',
    path: `/${alias}/_bulk`,
    contentType,
    body,
  });
  return parseWritten(JSON.parse(bytes.toString())).items[0]?.index.status;
}
