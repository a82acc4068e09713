import { type Environment, startEnvironment, until } from './support/environment';
import { expectKept } from './support/expectations';
import { heldCutover } from './support/held-cutover';
import { removeIndices, runMigration } from './support/scenario';
import { quietDocuments, tamper, tampered, updateQuiet } from './support/tampering';
import { verify } from './support/verify';

jest.setTimeout(3_600_000);

const documents = 1_000_000;

let environment: Environment;
beforeAll(async () => {
  environment = await startEnvironment({ heapMb: 2048 });
});
afterAll(() => environment.stop());

function* manyAndQuiet() {
  for (let n = 0; n < documents; n++) yield { id: `small-${n}`, source: `{"key":"small","revision":${n}}` };
  yield* quietDocuments;
}

test('six wrong documents among a million are found under writes', async () => {
  const { http } = environment;
  const result = await runMigration(
    environment,
    {
      ...heldCutover,
      // It is cancelled while it is held.
      settingsAfter: {},
      name: 'verify-scale',
      documents: 1000,
      furtherDocuments: manyAndQuiet(),
      endsWithinMs: 1_800_000,
    },
    async (migration) => {
      const { source, target } = migration;
      await updateQuiet(http, source);
      await until(
        'a cutover that is held',
        async () => {
          const { phase, shards } = await migration.status();
          const all = Object.values(shards);
          return phase === 'PREPARING_TARGET' && all.every((shard) => shard.phase === 'CONVERGED');
        },
        1_800_000,
      );
      await tamper(http, target);
      const found = await verify(environment, source, false, 1_800_000);
      expect(found).toMatchObject({ state: 'done', differences: { counts: tampered } });
      expect(found.documents_compared).toBeGreaterThan(documents);
      const backfills = Object.values((await migration.status()).shards).flatMap(
        ({ backfill }) => backfill ?? [],
      );
      const copyMs =
        Math.max(...backfills.map(({ end_time_millis: end = 0 }) => end)) -
        Math.min(...backfills.map(({ start_time_millis: start = 0 }) => start));
      const verifyMs = (found.ended_at_millis ?? 0) - found.started_at_millis;
      console.info(`copy ${copyMs} ms, verification ${verifyMs} ms, ${found.documents_compared} documents`);
      await migration.cancel();
    },
  );
  expect(result.status.phase).toBe('CANCELLED');
  expectKept(result);
  await removeIndices(environment, result.migration);
});
