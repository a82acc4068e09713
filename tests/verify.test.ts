import { hash } from 'node:crypto';
import { loadDocuments } from '@aosc/testkit';
import { type Environment, startEnvironment, until } from './support/environment';
import { expectClean } from './support/expectations';
import { heldCutover, isHeld, openCutover } from './support/held-cutover';
import { type Migration, openedInVainMs, removeIndices, runMigration } from './support/scenario';
import {
  quietDocuments,
  tamper,
  tampered,
  tamperMoved,
  tamperSource,
  undoTampering,
  updateQuiet,
} from './support/tampering';
import { beginVerification, endOfVerification, findVerification, verify } from './support/verify';

jest.setTimeout(600_000);

const documents = 20_000;
/** More than may come between the last pass and the cutover. */
const late = Array.from({ length: 30_000 }, (_, n) => ({ id: `late-${n}`, source: '{"key":"late"}' }));
const nothing = { missing: 0, extra: 0, version: 0, routing: 0, source: 0 };

let environment: Environment;
beforeAll(async () => {
  environment = await startEnvironment();
});
afterAll(() => environment.stop());

const held = (migration: Migration) => migration.waitFor('a cutover that is held', isHeld);

test.each([
  { mode: 'SPLIT_SHARD', scenario: heldCutover, options: {} },
  {
    mode: 'BULK_API',
    scenario: { ...heldCutover, source: { shards: 3 }, target: { shards: 2, replicas: 1 } },
    options: { accept_data_loss_if_custom_routing_is_used: true },
  },
])(
  '$mode under writes: each way in which a target can be wrong is found, and repaired, and nothing where it is right',
  async ({ mode, scenario, options }) => {
    const { http } = environment;
    const result = await runMigration(
      environment,
      {
        ...scenario,
        leftoversWithinMs: openedInVainMs,
        name: `verify-${mode.toLowerCase()}`,
        documents,
        furtherDocuments: quietDocuments,
        options,
      },
      async (migration) => {
        const { source, target } = migration;
        await updateQuiet(http, source);
        await held(migration);
        expect(await verify(environment, source)).toMatchObject({
          state: 'done',
          differences: { counts: nothing, samples: [] },
        });

        await tamper(http, target);
        const found = await verify(environment, source);
        expect(found).toMatchObject({ state: 'done', differences: { counts: tampered } });
        expect(found.differences.samples.map(({ kind, id }) => `${kind} ${id}`).toSorted()).toEqual([
          'extra quiet-extra',
          'missing quiet-missing',
          'routing quiet-routing',
          'source quiet-large',
          'source quiet-source',
          'version quiet-stale',
          'version quiet-version',
        ]);
        const named = found.differences.samples.flatMap(({ kind, id, fields }) =>
          kind === 'source' ? [{ id, fields }] : [],
        );
        expect(named).toHaveLength(2);
        // The fields of a large document are not named.
        expect(named).toEqual(
          expect.arrayContaining([
            { id: 'quiet-source', fields: ['revision'] },
            { id: 'quiet-large', fields: undefined },
          ]),
        );
        const { digest, ...certificate } = found;
        expect(digest).toBe(hash('sha256', JSON.stringify(certificate), 'hex'));

        // Its checker dies at any moment: the migration notices nothing, and nothing is counted twice.
        await beginVerification(environment, source);
        for (const worker of environment.workers()) await worker.kill('SIGKILL');
        await environment.restore(1);
        expect(await endOfVerification(environment, source)).toMatchObject({
          state: 'done',
          differences: { counts: tampered },
        });

        // Each side of the document under another routing counts: it is written, and the other one deleted.
        const repaired = await verify(environment, source, true);
        expect(repaired).toMatchObject({ repaired: 8, differences: { counts: nothing } });
        expect((await verify(environment, source)).differences.counts).toEqual(nothing);
        await openCutover(environment, migration);
      },
    );
    expectClean(result);

    // Applications have written to the target since, and go on: what they write is no difference.
    const { source, target } = result.migration;
    const after = await verify(environment, source);
    expect(after).toMatchObject({ state: 'done', differences: { counts: nothing } });
    await removeIndices(environment, { ...result.migration, source, target });
  },
);

test('with verify content a difference keeps the cutover from beginning until it is put right', async () => {
  const { http } = environment;
  const result = await runMigration(
    environment,
    {
      ...heldCutover,
      leftoversWithinMs: 120_000,
      name: 'verify-gate',
      documents: 2000,
      furtherDocuments: quietDocuments,
      options: { verify: 'content' },
    },
    async (migration) => {
      const { source, target } = migration;
      await updateQuiet(http, source);
      await held(migration);
      // The service has begun it by itself.
      await until('a verification', async () => (await findVerification(environment, source)) !== undefined);
      expect((await endOfVerification(environment, source)).differences.counts).toEqual(nothing);

      // What comes afterwards is compared as well; the counts agree.
      await tamperSource(http, target);
      await loadDocuments(http, source, late);
      await until('a second pass', async () => {
        const { passes, state, differences } = (await findVerification(environment, source)) ?? {};
        return passes === 2 && state === 'done' && differences?.counts.source === 1;
      });

      await tamper(http, target);
      expect((await verify(environment, source)).differences.counts).toEqual(tampered);
      await openCutover(environment, migration);
      const { phase } = await migration.waitFor(
        'a cutover that waits',
        ({ waiting_for: { text = '' } = {} }) => text.includes('differs from the source in 7 documents'),
      );
      expect(phase).toBe('PREPARING_TARGET');
      await undoTampering(http, target);
      await beginVerification(environment, source);
    },
  );
  expectClean(result);
  const certificate = await endOfVerification(environment, result.migration.source);
  expect(certificate).toMatchObject({ passes: 2, differences: { counts: nothing } });
  expect(certificate.unproven_at_swap).toBeGreaterThanOrEqual(0);
  const finals = Object.entries((await result.migration.record()).finalSeqNos ?? {});
  expect(certificate.ranges.flatMap((range) => Object.entries(range.to_seq_no))).toEqual(finals);
  await removeIndices(environment, result.migration);
});

test('where a script sets ids, what it makes of the source is compared by meaning', async () => {
  const { http } = environment;
  const script = "ctx._id = 'm/' + ctx._id; ctx._source.moved = true";
  const result = await runMigration(
    environment,
    {
      ...heldCutover,
      name: 'verify-moving',
      documents: 2000,
      furtherDocuments: quietDocuments,
      transform: {
        script: { type: 'inline', source: script },
        expected: ({ id, source, ...rest }) => ({
          ...rest,
          id: `m/${id}`,
          source: { ...source, moved: true },
        }),
      },
    },
    async (migration) => {
      const { source, target } = migration;
      await held(migration);
      expect((await verify(environment, source)).differences.counts).toEqual(nothing);
      await tamperMoved(http, target);
      const { differences } = await verify(environment, source);
      expect(differences.samples).toHaveLength(3);
      expect(differences.samples).toEqual(
        expect.arrayContaining([
          { kind: 'missing', id: 'quiet-missing' },
          { kind: 'extra', id: 'm/quiet-extra' },
          { kind: 'source', id: 'quiet-source', fields: ['revision'] },
        ]),
      );
      await migration.cancel();
    },
  );
  expect(result.status.phase).toBe('CANCELLED');
  await removeIndices(environment, result.migration);
});
