import { createParser, SetAsideAnswerSchema, type SetAsideAnswer } from '@aosc/contract';
import {
  callJson,
  type HttpClient,
  type LoadedDocument,
  sendChecked,
  type StatusDocument,
} from '@aosc/testkit';
import { migrationKey } from '@aosc/store';
import { borrowEnvironment, type Environment, until } from './support/environment';
import { expectClean, expectKept } from './support/expectations';
import { blockAlone, heldCutover, holdInCatchingUp, isHeld } from './support/held-cutover';
import { refusingMapping, takingMapping } from './support/refused-mapping';
import { type Migration, openedInVainMs, removeIndices, runMigration } from './support/scenario';
import { verify } from './support/verify';

jest.setTimeout(600_000);

let environment: Environment;
beforeAll(async () => {
  environment = await borrowEnvironment();
});
afterAll(() => environment.stop());

/** `SCALE_DOCUMENTS=100000` before a release. */
const documents = Number(process.env['SCALE_DOCUMENTS'] ?? 20_000);
const odd = 100;
/** Each has a field that the target does not take. */
const oddDocuments: readonly LoadedDocument[] = Array.from({ length: odd }, (_, n) => ({
  id: `odd-${n}`,
  source: JSON.stringify({ key: `odd ${n}`, revision: 1, title: 'an odd one', odd: { field: n } }),
}));
const plain = JSON.stringify({ key: 'plain', revision: 2, title: 'a plain one' });
const stillOdd = JSON.stringify({ key: 'odd', revision: 2, title: 'an odd one', odd: { field: -1 } });

const fields = { key: { type: 'keyword' }, revision: { type: 'long' }, title: { type: 'text' } };
const refusing = {
  mappings: { dynamic: false, properties: { ...fields, ...refusingMapping } },
};

const modes = [
  {
    mode: 'SPLIT_SHARD',
    sides: {
      source: { shards: 2, routingShards: 8 },
      target: { shards: 4, routingShards: 8, ...refusing },
    },
    options: {},
  },
  {
    mode: 'BULK_API',
    sides: { source: { shards: 3 }, target: { shards: 2, ...refusing } },
    options: { accept_data_loss_if_custom_routing_is_used: true },
  },
] as const;

const parse = createParser('answer of _set_aside', SetAsideAnswerSchema);

async function readSetAside(source: string): Promise<SetAsideAnswer> {
  return parse((await sendChecked(environment.apiUrl, `/_plugins/_aosc/${source}/_set_aside`, {})).body);
}

async function post(source: string, path: string, body: object = {}) {
  return sendChecked(environment.apiUrl, `/_plugins/_aosc/${source}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

const put = (http: HttpClient, index: string, id: string, source: string) =>
  callJson(http, (answer) => answer, 'PUT', `/${index}/_doc/${id}`, JSON.parse(source) as unknown);

/** Copies of the bytes of refused documents. */
async function countKept({ id }: Pick<Migration, 'id'>): Promise<number> {
  const { http } = environment;
  await callJson(http, (answer) => answer, 'POST', '/.aosc-set-aside/_refresh');
  const body = { query: { term: { key: migrationKey(id) } } };
  const answer = await callJson(http, (each) => each, 'POST', '/.aosc-set-aside/_count', body);
  return (answer as { readonly count: number }).count;
}

const isWaiting = (status: StatusDocument): boolean =>
  isHeld(status) && status.waiting_for?.text?.includes('set aside') === true;

test.each(modes)(
  '$mode: 100 refused documents are kept, an update and a delete close two, the others are retried, and the target is exact',
  async ({ mode, sides, options }) => {
    const { http } = environment;
    const name = `set-aside-${mode.toLowerCase().replace('_', '-')}`;
    const result = await runMigration(
      environment,
      {
        ...sides,
        leftoversWithinMs: openedInVainMs,
        name,
        documents,
        furtherDocuments: oddDocuments,
        options: { ...options, on_document_error: 'set_aside' },
      },
      async (migration) => {
        const { source, target } = migration;
        await migration.waitFor('a refused document', ({ set_aside: aside }) => (aside?.count ?? 0) > 0);
        for (const worker of environment.workers()) await worker.kill('SIGKILL');
        await environment.restore(1);

        const waiting = await migration.waitFor('a cutover that waits', isWaiting);
        expect(waiting.set_aside).toMatchObject({
          count: odd,
          digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
          reasons: [
            {
              type: 'strict_dynamic_mapping_exception',
              reason: expect.stringContaining('[field] within [odd] is not allowed') as string,
              count: odd,
              sample_ids: expect.arrayContaining([expect.stringMatching(/^odd-/) as string]) as string[],
            },
          ],
        });
        expect(await countKept(migration)).toBe(odd);

        await put(http, source, 'odd-0', plain);
        await put(http, source, 'odd-1', stillOdd);
        await callJson(http, (answer) => answer, 'DELETE', `/${source}/_doc/odd-2`);
        await until('two documents that are closed, and one that is newer', async () => {
          const { count, documents: left } = await readSetAside(source);
          return count === odd - 2 && left.some(({ id, version }) => id === 'odd-1' && version === '2');
        });
        const { digest } = await readSetAside(source);
        expect(digest).not.toBe(waiting.set_aside?.digest);
        const stale = await post(source, '_cutover', { accept_set_aside: waiting.set_aside?.digest ?? '' });
        expect(stale.status).toBe(409);
        expect((await verify(environment, source)).differences.counts).toMatchObject({
          missing: 0,
          extra: 0,
        });

        // No difference shows what is gone since a lost snapshot.
        const lost = { ...(await readSetAside(source)) };
        await callJson(http, (answer) => answer, 'DELETE', '/_search/point_in_time/_all');
        await callJson(http, (answer) => answer, 'DELETE', `/${source}/_doc/odd-3`);
        await until('the end of each repair, and one more that is closed', async () => {
          const shards = await migration.shards();
          const isRepaired = shards.every(
            ({ snapshotsLost, sweepPending }) => snapshotsLost > 0 && !sweepPending,
          );
          return isRepaired && (await readSetAside(source)).count === odd - 3;
        });
        const after = await readSetAside(source);
        expect(after.documents.map(({ id }) => id).toSorted()).toEqual(
          lost.documents
            .map(({ id }) => id)
            .filter((id) => id !== 'odd-3')
            .toSorted(),
        );

        await callJson(http, (answer) => answer, 'PUT', `/${target}/_mapping`, takingMapping);
        expect((await post(source, '_set_aside/_retry')).body).toMatchObject({ documents: odd - 3 });
      },
    );
    expectClean(result);
    expect(result.status.set_aside).toMatchObject({ count: 0, reasons: [] });
    expect(await countKept(result.migration)).toBe(0);
    await removeIndices(environment, result.migration);
  },
);

test.each(modes)(
  '$mode: exactly what a person has accepted is missing afterwards, in no version, and stays kept',
  async ({ mode, sides, options }) => {
    const { http } = environment;
    const name = `set-aside-accepted-${mode.toLowerCase().replace('_', '-')}`;
    const result = await runMigration(
      environment,
      {
        ...sides,
        name,
        documents: 5000,
        furtherDocuments: [...oddDocuments.slice(0, 9), { id: 'turned', source: plain }],
        options: { ...options, on_document_error: 'set_aside', cutover: 'manual' },
      },
      async (migration) => {
        const { source } = migration;
        await migration.waitFor('nine', ({ set_aside: aside }) => aside?.count === 9);
        await put(http, source, 'turned', stillOdd);
        await migration.waitFor('ten', (status) => status.set_aside?.count === 10);
        await post(source, '_cutover');
        await migration.waitFor('a cutover that waits', isWaiting);
        const { digest } = await readSetAside(source);
        const accepted = await post(source, '_cutover', { accept_set_aside: digest });
        expect(accepted.status).toBe(200);
      },
    );
    const { phase, error_message: error, set_aside: aside } = result.status;
    expect({ phase, error }).toEqual({ phase: 'COMPLETED' });
    expect(aside).toMatchObject({ count: 10, accepted: { digest: aside?.digest } });
    const mismatches = result.comparison?.mismatches;
    expect(mismatches?.total).toBe(10);
    expect(mismatches?.missing.count).toBe(10);
    expect(await countKept(result.migration)).toBe(10);
    await removeIndices(environment, result.migration);
  },
);

test('refused in the last round: under the block nothing is swapped, the block ends, and the replay goes on', async () => {
  const { http } = environment;
  await environment.putSettings(blockAlone);
  const result = await runMigration(
    environment,
    {
      ...heldCutover,
      target: { ...heldCutover.target, ...refusing },
      name: 'set-aside-late',
      documents: 2000,
      options: { on_document_error: 'set_aside' },
    },
    async (migration) => {
      const { source, target } = migration;
      const goOn = await holdInCatchingUp(environment, migration, async () => {
        await put(http, source, 'late', stillOdd);
      });
      goOn();
      const waiting = await migration.waitFor('a cutover that was undone', isWaiting);
      expect(waiting.set_aside).toMatchObject({ count: 1, reasons: [{ sample_ids: ['late'] }] });
      expect((await migration.record()).undoneCount).toBe(1);
      await callJson(http, (answer) => answer, 'PUT', `/${target}/_mapping`, takingMapping);
      await post(source, '_set_aside/_retry');
    },
  );
  expectClean(result);
  await removeIndices(environment, result.migration);
});

test('the index of the bytes is deleted on the way, and a bound of one counts a document that is closed in the same bulk no more', async () => {
  const { http } = environment;
  const [{ sides }] = modes;
  const result = await runMigration(
    environment,
    {
      ...sides,
      source: { shards: 1, routingShards: 8 },
      name: 'set-aside-deleted',
      documents: 100,
      furtherDocuments: oddDocuments.slice(0, 1),
      options: { on_document_error: 'set_aside', max_documents_set_aside: 1 },
    },
    async (migration) => {
      const { source } = migration;
      await migration.waitFor('a cutover that waits', isWaiting);
      await callJson(http, (answer) => answer, 'DELETE', '/.aosc-set-aside');
      await put(http, source, 'odd-0', plain);
      await put(http, source, 'late', stillOdd);
      await post(source, '_set_aside/_retry');
      await migration.waitFor('the other one', ({ set_aside: aside }) => {
        const [reason] = aside?.reasons ?? [];
        return aside?.count === 1 && reason?.sample_ids[0] === 'late';
      });
      expect(await countKept(migration)).toBe(1);
      const [made] = Object.values(
        (await callJson(http, (answer) => answer, 'GET', '/.aosc-set-aside/_mapping')) as object,
      ) as unknown[];
      expect(made).toMatchObject({ mappings: { dynamic: 'false' } });
      await post(source, '_cancel');
    },
  );
  expect(result.status.phase).toBe('CANCELLED');
  expectKept(result);
  expect(await countKept(result.migration)).toBe(0);
});

test('a rehearsal tells what would be missing', async () => {
  const [{ sides }] = modes;
  const result = await runMigration(environment, {
    ...sides,
    name: 'set-aside-rehearsed',
    documents: 1000,
    furtherDocuments: oddDocuments.slice(0, 5),
    options: { on_document_error: 'set_aside', rehearse: true },
  });
  const { phase, error_message: error = '', set_aside: aside } = result.status;
  expect(phase).toBe('CANCELLED');
  expect(error).toContain('rehearsed');
  expect(error).toContain('5 documents');
  expect(aside).toMatchObject({ count: 5 });
  expect(await countKept(result.migration)).toBe(0);
  await removeIndices(environment, result.migration);
});

test('fail: what was read is looked at to its end, and named by reason', async () => {
  const [{ sides }] = modes;
  const bad = { id: 'concrete', source: JSON.stringify({ key: 'x', revision: 1, title: 'x', odd: 'text' }) };
  const result = await runMigration(environment, {
    ...sides,
    source: { shards: 1, routingShards: 8 },
    name: 'set-aside-fail',
    documents: 100,
    furtherDocuments: [...oddDocuments.slice(0, 30), bad],
  });
  const { phase, error_message: error = '' } = result.status;
  expect(phase).toBe('FAILED');
  expect(error).toContain('the target refuses 31 documents');
  expect(error).toContain('is not allowed (30: [odd-0]');
  expect(error).toContain('(1: [concrete])');
  expectKept(result);
});

test('more than may be set aside fails the migration, and nothing of it is kept', async () => {
  const [{ sides }] = modes;
  const result = await runMigration(environment, {
    ...sides,
    name: 'set-aside-too-many',
    documents: 100,
    furtherDocuments: oddDocuments,
    options: { on_document_error: 'set_aside', max_documents_set_aside: 60 },
  });
  const { phase, error_message: error = '' } = result.status;
  expect(phase).toBe('FAILED');
  expect(error).toMatch(/the target refuses \d+ documents, and 60 may be set aside/);
  expectKept(result);
  expect(await countKept(result.migration)).toBe(0);
});
