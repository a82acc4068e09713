import { createParser } from '@aosc/contract';
import { newVerification } from '@aosc/domain';
import { timeLimit } from '@aosc/signals';
import { loadDocuments } from '@aosc/testkit';
import { Type } from '@sinclair/typebox';
import { type Cluster, startCluster } from '../races/support/cluster';
import { createPair, someDocuments } from '../races/support/pairs';
import { expectCompleted, expectFailed } from './support';

jest.setTimeout(600_000);

const limitBytes = 10 * 2 ** 20;

/** As strict as providers and careful operators set a cluster up. */
const openSearchSettings = {
  'http.max_content_length': `${limitBytes}b`,
  'action.auto_create_index': false,
  'search.allow_expensive_queries': false,
} as const;

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ openSearchSettings });
  await cluster.store.ensureIndex({ signal: timeLimit(60_000) });
});
afterAll(() => cluster.stop());

const parseSettings = createParser(
  'answer of _nodes/settings',
  Type.Object({
    nodes: Type.Record(Type.String(), Type.Object({ settings: Type.Record(Type.String(), Type.Unknown()) })),
  }),
);

test('the cluster is as strict as this file says', async () => {
  const { nodes } = parseSettings(await cluster.send('GET', '/_nodes/settings?flat_settings=true'));
  for (const { settings } of Object.values(nodes)) {
    for (const [name, value] of Object.entries(openSearchSettings))
      expect(settings[name]).toBe(String(value));
  }
});

test.each([{ shards: [2, 4] as const }, { shards: [3, 2] as const }])(
  'no index made by itself, no expensive query, windows of ten documents, a lost snapshot, $shards',
  async ({ shards }) => {
    const narrow = { 'index.max_result_window': 10 };
    /** The comparison reads larger pages than that. */
    const expectExact = async (): Promise<void> => {
      const indices = `${harness.source},${harness.target}`;
      await cluster.send('PUT', `/${indices}/_settings`, { 'index.max_result_window': null });
      await harness.expectExact();
      await cluster.send('PUT', `/${indices}/_settings`, narrow);
    };
    const documents = someDocuments(300);
    const harness = await createPair(cluster, {
      shards,
      documents,
      sourceSettings: narrow,
      targetSettings: narrow,
    });
    await harness.backfill();
    await expectExact();
    await cluster.removeAll(harness.alias, documents.slice(0, 100));
    await loadDocuments(cluster.http, harness.alias, someDocuments(150).slice(100));
    await harness.round();
    await expectExact();
    const held = (await harness.shards()).map(({ snapshot }) => snapshot?.pitId);
    await cluster.send('DELETE', '/_search/point_in_time', { pit_id: held });
    await cluster.removeAll(harness.alias, documents.slice(150, 200));
    await harness.round();
    await harness.round();
    expect(harness.events).toContain('sweep_complete');
    await expectExact();
    const { phase, errorMessage } = await harness.runUntil('COMPLETED');
    expect({ phase, errorMessage }).toEqual({ phase: 'COMPLETED', errorMessage: undefined });
    await expectExact();
  },
);

test('few terms and clauses in a query, and fewer from one round to the next', async () => {
  const clauses = 'indices.query.bool.max_clause_count';
  const allowClauses = (count: number | null) =>
    cluster.send('PUT', '/_cluster/settings', { transient: { [clauses]: count } });
  const documents = someDocuments(400);
  const harness = await createPair(cluster, {
    shards: [2, 4],
    documents,
    sourceSettings: { 'index.max_terms_count': 10 },
    targetSettings: { 'index.max_terms_count': 10 },
  });
  const scattered = (from: number) => documents.filter((_, n) => n % 8 === from);
  try {
    await allowClauses(16);
    await harness.backfill();
    await cluster.removeAll(harness.alias, scattered(0));
    await harness.round();
    await harness.expectExact();
    await cluster.send('PUT', `/${harness.source}/_settings`, { 'index.max_terms_count': 1 });
    await allowClauses(3);
    await cluster.removeAll(harness.alias, scattered(1));
    await harness.round();
    await harness.expectExact();
    await cluster.removeAll(harness.alias, scattered(2));
    await expectCompleted(harness);
  } finally {
    await allowClauses(null);
  }
});

test('a verification asks for few terms in a query, and after the swap for no repair', async () => {
  const documents = someDocuments(40);
  const harness = await createPair(cluster, {
    shards: [2, 4],
    documents,
    sourceSettings: { 'index.max_terms_count': 10 },
  });
  await harness.backfill();
  await harness.round();
  for (const { id } of documents) {
    const path = `/${harness.target}/_doc/${id}?version=1&version_type=external_gte&pipeline=_none`;
    await cluster.send('PUT', path, { key: 'another' });
  }
  const { phase } = await harness.runUntil('COMPLETED');
  expect(phase).toBe('COMPLETED');
  const call = { signal: timeLimit(60_000) };
  const asked = newVerification(harness.key, Date.now(), { repair: true });
  await cluster.store.replaceVerification(undefined, asked, call);
  expect(await harness.verify(timeLimit(60_000))).toMatchObject({
    phase: 'done',
    repaired: 0,
    counts: { source: documents.length },
  });
  expect((await harness.shards()).flatMap(({ repairIds }) => repairIds ?? [])).toEqual([]);
});

/** `bytes` of text that nothing reads, without a line break. */
const filler = (bytes: number): string => 'x'.repeat(bytes);

describe('a cluster that takes requests up to 10 MB', () => {
  const large = Array.from({ length: 14 }, (_, n) => ({
    id: `large-${n}`,
    source: `{"text":"${filler(1_900_000 + n)}"}`,
  }));

  test('413 makes bulks smaller until they fit', async () => {
    const harness = await createPair(cluster, { shards: [1, 2], documents: large });
    const refused: number[] = [];
    await harness.backfill({
      target: {
        writes: (real) => ({
          async bulk(fence, items, call) {
            const outcome = await real.bulk(fence, items, call);
            if (outcome.type === 'refused' && outcome.kind === 'too_large') refused.push(items.length);
            return outcome;
          },
        }),
      },
    });
    expect(Math.max(...refused)).toBeGreaterThan(5);
    await harness.expectExact();
    await cluster.removeAll(harness.alias, large.slice(0, 3));
    await loadDocuments(cluster.http, harness.alias, large.slice(3, 6));
    await expectCompleted(harness);
  });

  test('one document above that fails the migration with its id', async () => {
    const harness = await createPair(cluster, { shards: [1, 2], documents: someDocuments(20) });
    await cluster.put(harness.alias, { id: 'too large' }, `{"text":"${filler(1_000_000)}"}`);
    // No request could bring it: it has grown in the cluster.
    const twice = { script: { source: 'ctx._source.text = ctx._source.text + ctx._source.text' } };
    for (let n = 0; n < 4; n++)
      await cluster.send('POST', `/${harness.alias}/_update/too%20large?_source=false`, twice);
    const message = await expectFailed(cluster, harness);
    expect(message).toContain('[too large]');
    expect(message).toContain('status 413');
  });
});
