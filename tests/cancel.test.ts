import { createParser, type MigrationRecord } from '@aosc/contract';
import {
  callJson,
  cancelMigration,
  compareIndices,
  createTargetIndex,
  describeMismatches,
  startMigration,
  waitForPhase,
} from '@aosc/testkit';
import { Type } from '@sinclair/typebox';
import { type Environment, startEnvironment } from './support/environment';
import { expectClean, expectKept } from './support/expectations';
import { blockAlone, heldCutover, holdInCatchingUp, longHold } from './support/held-cutover';
import { type Migration, type MigrationResult, removeIndices, runMigration } from './support/scenario';

jest.setTimeout(600_000);

let environment: Environment;
beforeAll(async () => {
  environment = await startEnvironment({
    nodes: 1,
    workers: 2,
    settings: { 'aosc.backfill.controller.batch.max_docs': '40' },
  });
});
afterAll(() => environment.stop());

const target = { 'index.refresh_interval': '7s', 'index.gc_deletes': '45s' };

test('a cancel in BACKFILLING leaves no trace, and the source can be migrated afterwards', async () => {
  const { urls, apiUrl, http } = environment;
  const result = await runMigration(
    environment,
    {
      name: 'cancel-backfilling',
      source: { shards: 2 },
      target: { shards: 2, settings: target },
      documents: 8_000,
    },
    async (migration) => {
      await midBackfill(migration);
      // The second one finds the first.
      expect(await Promise.all([migration.cancel(), migration.cancel()])).toEqual([
        'CANCELLING',
        'CANCELLING',
      ]);
    },
  );
  await expectCancelled(result);
  expect(result.writers.blockedRetries).toBe(0);
  const { migration, status } = result;
  expect(Object.values(status.shards).map(({ phase }) => phase)).toEqual(['CANCELLED', 'CANCELLED']);
  await expect(migration.cancel()).rejects.toMatchObject({ answer: { status: 409 } });

  // Again, with what is in the source now, into a target of its own.
  const { source, alias } = migration;
  const next = `${alias}-v3`;
  await createTargetIndex(http, { name: next, shards: 2 });
  await environment.keepingLogs(async () => {
    await startMigration(apiUrl, { source, target: next, alias });
    await waitForPhase(apiUrl, source, ['COMPLETED']);
  });
  const { mismatches, judgedBySource } = await compareIndices({ urls, source, target: next });
  expect(describeMismatches(mismatches)).toEqual([]);
  expect(judgedBySource).toBeGreaterThan(0);
  await expect(migration.cancel()).rejects.toMatchObject({ answer: { status: 409 } });
  expect(await indicesOf(alias)).toEqual([next]);
  await removeIndices(environment, migration);
});

test('a cancel under the write block lifts it, and every blocked write gets through', async () => {
  await environment.putSettings(blockAlone);
  const result = await runMigration(
    environment,
    { ...heldCutover, name: 'cancel-blocked', documents: 3_000 },
    async (migration) => {
      const goOn = await holdInCatchingUp(environment, migration);
      expect(await migration.cancel()).toBe('CANCELLING');
      // Needs no worker: they are paused still.
      await waitForPhase(environment.apiUrl, migration.source, ['CANCELLED']);
      goOn();
    },
  );
  await expectCancelled(result);
  expect(result.writers.blockedRetries).toBeGreaterThan(0);
  await removeIndices(environment, result.migration);
});

test.each<[string, (record: MigrationRecord) => boolean]>([
  ['the target is prepared', ({ phase }) => phase !== 'ACTIVE'],
  ['the write hold is asked for', ({ writeHold }) => writeHold !== undefined],
  ['the write block is asked for', ({ writeBlock }) => writeBlock !== undefined],
  ['the shards catch up', ({ finalSeqNos }) => finalSeqNos !== undefined],
  ['the counts are compared', ({ phase }) => isAtEnd(phase)],
  ['the swap is asked for', ({ commitRequested }) => commitRequested],
])('a cancel when %s: either it or the swap wins, and nothing is lost', async (when, isTime) => {
  await environment.putSettings(longHold);
  const scenario = { source: { shards: 2 }, target: { shards: 2, settings: target }, documents: 500 };
  const name = `cancel-race-${when.replaceAll(' ', '-')}`;
  const result = await runMigration(environment, { ...scenario, name }, async (migration) => {
    await migration.recordOnce(isTime);
    await migration.cancel().catch((error: unknown) => {
      expect(error).toMatchObject({ answer: { status: 409 } });
    });
  });
  const { migration, status } = result;
  expect(['COMPLETED', 'CANCELLED']).toContain(status.phase);
  if (status.phase === 'COMPLETED') expectClean(result);
  else expectKept(result);
  const home = status.phase === 'COMPLETED' ? migration.target : migration.source;
  expect(await indicesOf(migration.alias)).toEqual([home]);
  await removeIndices(environment, migration);
});

test('a cancel of what was never started is answered with 404', async () => {
  await expect(cancelMigration(environment.apiUrl, 'nothing-here')).rejects.toMatchObject({
    answer: { status: 404 },
  });
});

const isAtEnd = (phase: string): boolean => phase === 'COMPLETING' || phase === 'COMPLETED';

/** Something is copied, and much is not. */
async function midBackfill(migration: Migration): Promise<void> {
  await migration.waitFor('a backfill under way', ({ shards }) =>
    Object.values(shards).every(
      ({ phase, backfill }) => phase === 'BACKFILLING' && (backfill?.documents_indexed ?? 0) > 0,
    ),
  );
}

async function expectCancelled(result: MigrationResult): Promise<void> {
  const { status, migration } = result;
  expect(status.phase).toBe('CANCELLED');
  expect(status.transition_history?.slice(-2).map(({ phase }) => phase)).toEqual(['CANCELLING', 'CANCELLED']);
  expectKept(result);
  expect(await indicesOf(migration.alias)).toEqual([migration.source]);
  // All of the cluster, not only this migration's: the test opens no others.
  const path = '/_search/point_in_time/_all';
  expect(await callJson(environment.http, (answer) => answer, 'GET', path)).toMatchObject({ pits: [] });
}

const parseAliases = createParser('answer of _alias', Type.Record(Type.String(), Type.Unknown()));

async function indicesOf(alias: string): Promise<readonly string[]> {
  return Object.keys(await callJson(environment.http, parseAliases, 'GET', `/_alias/${alias}`));
}
