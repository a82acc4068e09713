import { createParser } from '@aosc/contract';
import type { LoadedDocument } from '@aosc/testkit';
import { Type } from '@sinclair/typebox';
import { type Cluster, startCluster } from '../races/support/cluster';
import { createPair, type PairOptions, someDocuments, someSource } from '../races/support/pairs';
import { count, expectCompleted, migrateUnderChanges } from './support';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());

const parseMade = createParser('answer of a write', Type.Object({ _id: Type.String() }));

const list = <T>(length: number, make: (n: number) => T): T[] => Array.from({ length }, (_, n) => make(n));

interface Kind {
  readonly pair: Pick<PairOptions, 'shards' | 'mappings' | 'sourceSettings' | 'targetSettings'>;
  readonly documents: readonly LoadedDocument[];
  readonly another: (document: LoadedDocument, at: number) => string;
  /** finds something on both sides only where the kind is understood as such */
  readonly query: object;
}

const nested = (n: number): string =>
  JSON.stringify({ tags: list(n % 4, (tag) => ({ name: `t${tag}`, weight: n })) });

const partitioned = { 'index.routing_partition_size': 2 };
const routed = { _routing: { required: true }, properties: { n: { type: 'long' } } };
const routings = ['r', 'r 2', '"quoted"', 'a,b', 'é/🦜', '%2F?#', '\\', 'x'.repeat(512)];

const kinds: Readonly<Record<string, Kind>> = {
  'nested objects': {
    pair: {
      shards: [2, 4],
      mappings: {
        properties: {
          tags: { type: 'nested', properties: { name: { type: 'keyword' }, weight: { type: 'long' } } },
        },
      },
    },
    documents: list(120, (n) => ({ id: `n${n}`, source: nested(n) })),
    another: (_, at) => nested(at + 1),
    query: { nested: { path: 'tags', query: { term: { 'tags.name': 't2' } } } },
  },
  'parents and children': {
    pair: {
      shards: [2, 4],
      mappings: { properties: { role: { type: 'join', relations: { question: 'answer' } } } },
    },
    documents: list(30, (n) => [
      { id: `q${n}`, routing: `q${n}`, source: '{"role":"question"}' },
      ...list(3, (a) => ({
        id: `q${n}-a${a}`,
        routing: `q${n}`,
        source: `{"role":{"name":"answer","parent":"q${n}"}}`,
      })),
    ]).flat(),
    another: ({ source }) => source.replace(/}$/, ',"edited":true}'),
    query: { has_child: { type: 'answer', query: { match_all: {} } } },
  },
  'queries of a percolator': {
    pair: {
      shards: [2, 2],
      mappings: { properties: { query: { type: 'percolator' }, title: { type: 'text' } } },
    },
    documents: list(60, (n) => ({ id: `p${n}`, source: `{"query":{"match":{"title":"word${n % 5}"}}}` })),
    another: (_, at) => `{"query":{"bool":{"must":[{"term":{"title":"word${at % 3}"}}]}}}`,
    query: { percolate: { field: 'query', document: { title: 'word1 and word2' } } },
  },
  'routing that is required': {
    pair: { shards: [2, 4], mappings: routed },
    documents: list(160, (n) => ({
      id: `${n >> 1}-${n % 8}`,
      routing: routings[n % 8] ?? '',
      source: `{"n":${n}}`,
    })),
    another: (_, at) => `{"n":${-at}}`,
    query: { term: { _routing: 'a,b' } },
  },
  'a routing partition, the same on both sides': {
    pair: { shards: [3, 6], mappings: routed, sourceSettings: partitioned, targetSettings: partitioned },
    documents: list(160, (n) => ({ id: `${n}`, routing: routings[n % 8] ?? '', source: `{"n":${n}}` })),
    another: (_, at) => `{"n":${-at}}`,
    query: { range: { n: { lte: 80 } } },
  },
  'a routing partition that the target does not have, by BULK_API': {
    pair: { shards: [3, 4], mappings: routed, sourceSettings: partitioned },
    documents: list(160, (n) => ({ id: `${n}`, routing: routings[n % 8] ?? '', source: `{"n":${n}}` })),
    another: (_, at) => `{"n":${-at}}`,
    query: { range: { n: { lte: 80 } } },
  },
  'alias fields and derived fields': {
    pair: {
      shards: [2, 3],
      mappings: {
        properties: { n: { type: 'long' }, number: { type: 'alias', path: 'n' } },
        derived: { half: { type: 'long', script: { source: "emit(doc['n'].value / 2)" } } },
      },
    },
    documents: list(60, (n) => ({ id: `a${n}`, source: `{"n":${n}}` })),
    another: (_, at) => `{"n":${at * 2}}`,
    query: { bool: { filter: [{ range: { number: { gte: 10 } } }, { range: { half: { lte: 10 } } }] } },
  },
  'empty sources': {
    pair: { shards: [2, 4] },
    documents: list(60, (n) => ({ id: `e${n}`, source: ['{}', '{ }', ' {\t}'][n % 3] ?? '' })),
    another: (_, at) => (at % 2 === 0 ? '{}' : '{ "key": null }'),
    query: { bool: { must_not: { exists: { field: 'key' } } } },
  },
};

test.each(Object.entries(kinds))('%s', async (_name, { pair, documents, another, query }) => {
  const harness = await createPair(cluster, { ...pair, documents });
  await migrateUnderChanges(cluster, harness, { loaded: documents, another });
  const found = await count(cluster, harness.source, query);
  expect(found).toBeGreaterThan(0);
  expect(await count(cluster, harness.target, query)).toBe(found);
});

/** OpenSearch stores ids that look like numbers or like base64 in other ways than the rest. */
const awkwardIds = [
  ...['a', '0', '00', '1', '-1', '255', '123456789012345678901', '1.0', '1e3', 'AAAA', 'AQ==', '_-_-'],
  ...[
    '.',
    '..',
    '/',
    'a/b',
    '//',
    '\\',
    '"',
    "'",
    '""',
    '`',
    '%',
    '%2F',
    '%00',
    '?',
    '#',
    '&',
    '+',
    '*',
    '_id',
  ],
  ...[' ', '  ', ' both ends ', 'a\tb', 'a\nb', 'a\r\nb', '\u0001', '\u007f', '\u2028', '\ufeff', '\u200b'],
  ...[
    'é',
    'e\u0301',
    '中文',
    'ß',
    'İ',
    '🦜',
    '👩‍👩‍👧',
    '🏴󠁧󠁢󠁳󠁣󠁴󠁿',
    '{"_id":"x"}',
    '[1]',
    'null',
    'true',
    '<a>',
    '$x',
    '{{x}}',
  ],
  ...['x'.repeat(512), '"'.repeat(512), '\u0001'.repeat(512), 'é'.repeat(256), '🦜'.repeat(128)],
  ...list(20, (n) => 'y'.repeat(10 * n + 2)),
];

test.each([{ shards: [2, 4] as const }, { shards: [3, 2] as const }])(
  'ids of 1 to 512 bytes with any character, and ids that OpenSearch made, $shards',
  async ({ shards }) => {
    const documents = awkwardIds.map((id) => ({ id, source: JSON.stringify({ key: id }) }));
    expect(new Set(awkwardIds.map((id) => Buffer.byteLength(id)))).toEqual(
      new Set([...awkwardIds.map((id) => Buffer.byteLength(id)), 1, 512]),
    );
    const harness = await createPair(cluster, { shards, documents });
    const made: LoadedDocument[] = [];
    for (let n = 0; n < 30; n++) {
      const { _id: id } = parseMade(
        await cluster.send('POST', `/${harness.alias}/_doc`, { key: `generated ${n}` }),
      );
      made.push({ id, source: '{}' });
    }
    await migrateUnderChanges(cluster, harness, {
      loaded: [...documents, ...made],
      another: ({ id }, at) => JSON.stringify({ revision: at, key: id }),
    });
  },
);

describe('few documents, or many shards', () => {
  test('an empty index', async () => {
    const harness = await createPair(cluster, { shards: [3, 3], documents: [] });
    await expectCompleted(harness);
    expect(await count(cluster, harness.target)).toBe(0);
  });

  test('an empty index that gets its first documents meanwhile, and one that loses all', async () => {
    const filling = await createPair(cluster, { shards: [2, 4], documents: [] });
    await filling.backfill();
    await cluster.put(filling.alias, { id: 'first' }, someSource('first'));
    await filling.round();
    await filling.expectExact();
    await cluster.put(filling.alias, { id: 'second' }, someSource('second'));
    await expectCompleted(filling);

    const loaded = someDocuments(40);
    const emptying = await createPair(cluster, { shards: [2, 4], documents: loaded });
    await emptying.backfill();
    await cluster.removeAll(emptying.alias, loaded);
    await expectCompleted(emptying);
    expect(await count(cluster, emptying.target)).toBe(0);
  });

  test('one document, in one of many empty shards', async () => {
    const harness = await createPair(cluster, { shards: [6, 12], documents: someDocuments(1) });
    await harness.backfill();
    await harness.expectExact();
    await cluster.put(harness.alias, { id: 'd0' }, someSource('again'));
    await expectCompleted(harness);
    expect(await count(cluster, harness.target)).toBe(1);
  });

  test('60 shards', async () => {
    const loaded = someDocuments(300);
    const harness = await createPair(cluster, {
      shards: [60, 6],
      documents: loaded,
      sourceSettings: { 'index.number_of_routing_shards': 60 },
    });
    await harness.backfill();
    await cluster.removeAll(harness.alias, loaded.slice(0, 30));
    await cluster.put(harness.alias, { id: 'late' }, someSource('late'));
    await expectCompleted(harness);
    expect(await count(cluster, harness.target)).toBe(271);
  });
});
