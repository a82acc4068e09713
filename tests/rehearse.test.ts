import { createParser, type StatusDocument, StatusSchema } from '@aosc/contract';
import {
  compareIndices,
  createTargetIndex,
  deleteIndices,
  describeMismatches,
  sendChecked,
  startMigration,
  terminalPhases,
  waitForPhase,
} from '@aosc/testkit';
import { type Environment, startEnvironment } from './support/environment';
import { expectKept } from './support/expectations';
import { heldCutover, openCutover } from './support/held-cutover';
import { type Migration, removeIndices, runMigration } from './support/scenario';
import { quietDocuments, tamper, tampered, updateQuiet } from './support/tampering';
import { beginVerification, endOfVerification, findVerification, verify } from './support/verify';

jest.setTimeout(600_000);

const documents = 5000;
const parseStatus = createParser('status', StatusSchema);

let environment: Environment;
beforeAll(async () => {
  environment = await startEnvironment();
});
afterAll(() => environment.stop());

const read = async (path: string): Promise<string> =>
  (await environment.http.send({ method: 'GET', path })).body.toString();

async function statusOf({ source }: Pick<Migration, 'source'>): Promise<StatusDocument> {
  return parseStatus((await sendChecked(environment.apiUrl, `/_plugins/_aosc/${source}/_status`, {})).body);
}

/** What no rehearsal may change. */
const surroundings = async ({ source }: Pick<Migration, 'source'>) => ({
  source: await read(`/${source}`),
  pipelines: await read('/_ingest/pipeline'),
});

/** That the alias is on the source, and was all along, is what the writers have seen: none was blocked or refused. */
async function expectUntouched({ migration, writers }: Awaited<ReturnType<typeof runMigration>>) {
  expect(Object.keys(writers.operationsByIndex)).toEqual([migration.source]);
  expect(writers).toMatchObject({ blockedRetries: 0, otherRetries: 0, errors: 0 });
  const { writeBlock, writeHold, cutoverContext, commitRequested, transitionHistory } =
    await migration.record();
  expect({ writeBlock, writeHold, cutoverContext, commitRequested }).toEqual({ commitRequested: false });
  expect(transitionHistory.map(({ phase }) => phase)).toEqual([
    'ACTIVE',
    'PREPARING_TARGET',
    'CANCELLING',
    'CANCELLED',
  ]);
}

test('a rehearsal under writers verifies all, blocks nothing and moves nothing, and then the source is migrated', async () => {
  const { http, urls, apiUrl } = environment;
  let before: unknown;
  const result = await runMigration(
    environment,
    {
      name: 'rehearse',
      source: { shards: 2, routingShards: 8 },
      target: { shards: 4, routingShards: 8 },
      documents,
      // The time of the cutover is nothing to a rehearsal.
      options: { rehearse: true, cutover: 'manual' },
    },
    async (migration) => {
      before = await surroundings(migration);
      const path = `/_plugins/_aosc/${migration.source}/_cutover`;
      const { status } = await sendChecked(apiUrl, path, { method: 'POST' });
      expect(status).toBe(409);
    },
  );
  const { migration } = result;
  const status = await statusOf(migration);
  const { source, target, alias } = migration;
  expectKept(result);
  await expectUntouched(result);
  expect(await surroundings(migration)).toEqual(before);
  expect(status).toMatchObject({
    phase: 'CANCELLED',
    error_message: expect.stringContaining('documents were verified without a difference') as string,
    options: { rehearse: true, verify: 'content' },
    rehearsal: { outcome: 'exact', differences: 0 },
  });
  const { rehearsal } = status;
  expect(rehearsal?.documents_verified).toBeGreaterThanOrEqual(documents);
  const aNumber = expect.any(Number) as number;
  const all = { documents: aNumber, seconds: aNumber, pause_ms: aNumber };
  expect(rehearsal).toMatchObject({ estimated: all, found: all });
  for (const figures of [rehearsal?.estimated, rehearsal?.found]) {
    expect(figures?.documents).toBeGreaterThanOrEqual(documents);
    expect(figures?.seconds).toBeGreaterThan(0);
    expect(figures?.pause_ms).toBeGreaterThan(0);
  }

  await deleteIndices(http, [target]);
  await createTargetIndex(http, { shards: 4, routingShards: 8, name: target });
  await startMigration(apiUrl, { source, target, alias });
  await waitForPhase(apiUrl, source, terminalPhases);
  expect(await statusOf(migration)).toMatchObject({ phase: 'COMPLETED' });
  const { mismatches } = await compareIndices({ urls, source, target, model: migration.writers.model });
  expect(describeMismatches(mismatches)).toEqual([]);
  await removeIndices(environment, migration);
});

test('a rehearsal says what differs, also when a person verifies at the same time', async () => {
  const { http } = environment;
  const result = await runMigration(
    environment,
    {
      ...heldCutover,
      name: 'rehearse-differing',
      documents,
      furtherDocuments: quietDocuments,
      options: { rehearse: true },
    },
    async (migration) => {
      const { source, target } = migration;
      await updateQuiet(http, source);
      await migration.waitFor(
        'convergence',
        ({ phase, shards }) =>
          phase === 'PREPARING_TARGET' && Object.values(shards).every((shard) => shard.phase === 'CONVERGED'),
      );
      await endOfVerification(environment, source);
      await tamper(http, target);
      expect((await verify(environment, source)).differences.counts).toEqual(tampered);
      await beginVerification(environment, source);
      await openCutover(environment, migration);
    },
  );
  expectKept(result);
  await expectUntouched(result);
  const { source } = result.migration;
  expect(await statusOf(result.migration)).toMatchObject({
    phase: 'CANCELLED',
    error_message: expect.stringMatching(
      /^rehearsed, so the alias \[.*\] stays where it is: .* in 7 documents .*\[quiet-/,
    ) as string,
    rehearsal: { outcome: 'different', differences: 7 },
  });
  expect((await findVerification(environment, source))?.differences.counts).toEqual(tampered);
  await removeIndices(environment, result.migration);
});
