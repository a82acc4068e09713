import type { ToldMigration } from '../support/told-migration';
import { timeLimit } from '@aosc/signals';
import { type ExpectedTransform, findLeftovers, type LoadedDocument } from '@aosc/testkit';
import { borrowCluster, type Cluster } from './support/cluster';
import type { Harness } from './support/harness';
import { createPair, someSource } from './support/pairs';
import { transformed } from './support/transformed';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

const source = (n: number, more: object = {}): string => JSON.stringify({ n, group: `g${n % 3}`, ...more });

const numbered = (count: number): LoadedDocument[] =>
  Array.from({ length: count }, (_, n) => ({ id: `d${n}`, source: source(n) }));

/** Own functions, early returns, parameters, a new source, and fields that only look like metadata. */
const keepsIds = transformed(
  `int twice(int n) { return n * 2; }
   if (ctx._source.group == params.skipped) return;
   ctx._source.n2 = twice(ctx._source.n) + params.offset;
   ctx._source.user_id = 'u' + ctx._source.remove('group');
   if (ctx._source.n % 5 == 0) { ctx._source = ['only': ctx._source.n] }`,
  ({ id, routing, source: { group, ...rest } }) => {
    if (group === 'g1') return { id, routing, source: { group, ...rest } };
    const n = Number(rest['n']);
    if (n % 5 === 0) return { id, routing, source: { only: n } };
    return { id, routing, source: { ...rest, n2: n * 2 + 7, user_id: `u${String(group)}` } };
  },
  { skipped: 'g1', offset: 7 },
);

/** Moves a document to another id when its group changes, and to another routing when its number does. */
const rewritesIds = transformed(
  `ctx._id = ctx._source.group + '-' + ctx._id;
   if (ctx._source.n % 2 == 0) ctx._routing = 'even'; else if (ctx._routing == 'gone') ctx._routing = null;`,
  ({ id, routing, source: body }) => ({
    id: `${String(body['group'])}-${id}`,
    routing: Number(body['n']) % 2 === 0 ? 'even' : routing === 'gone' ? undefined : routing,
    source: body,
  }),
);

/** Updates, deletes, re-creations with lower versions and documents under a routing, beside what stays. */
async function writeAlong(harness: Harness, round: number): Promise<void> {
  const index = harness.source;
  for (let n = round; n < 120; n += 7) await cluster.put(index, { id: `d${n}` }, source(n + round));
  for (let n = round + 1; n < 120; n += 11) {
    await cluster.remove(index, { id: `d${n}` }).catch(() => undefined); // gone since an earlier round
  }
  for (let n = round + 1; n < 120; n += 22) await cluster.put(index, { id: `d${n}` }, source(n + 1));
  for (let n = 0; n < 20; n++) {
    const routing = n % 3 === 0 ? 'gone' : `r${n}`;
    await cluster.put(index, { id: `routed${n}`, routing }, source(n + round));
  }
  for (let n = round; n < 20; n += 4) {
    await cluster.remove(index, { id: `routed${n}`, routing: n % 3 === 0 ? 'gone' : `r${n}` });
  }
}

async function expectNothingLeft(harness: Harness, completed: boolean): Promise<void> {
  const { key, source: from, target } = harness;
  const options = { urls: cluster.urls, source: from, target, key, writeBlockExpected: completed };
  expect(await findLeftovers(options)).toEqual([]);
}

async function expectCompleted(harness: Harness): Promise<void> {
  const { phase, errorMessage } = await harness.runUntil('COMPLETED');
  expect({ phase, errorMessage }).toEqual({ phase: 'COMPLETED' });
}

async function expectFailed(harness: Harness, reason: RegExp): Promise<ToldMigration> {
  const end = await harness.runUntil('COMPLETED');
  expect(end.errorMessage).toMatch(reason);
  expect(end.phase).toBe('FAILED');
  const call = { signal: timeLimit(30_000) };
  expect(await cluster.ports.aliases.indicesOf(harness.alias, call)).toEqual([harness.source]);
  await cluster.put(harness.alias, { id: 'after' }, source(1));
  await expectNothingLeft(harness, false);
  return end;
}

describe.each([
  { what: 'a transform that leaves ids alone', transform: keepsIds },
  { what: 'a transform that rewrites ids and routings', transform: rewritesIds },
])('$what', ({ transform }) => {
  test.each([{ shards: [2, 2] as const }, { shards: [2, 4] as const }, { shards: [3, 2] as const }])(
    'is applied to every document, $shards, with updates, deletes and re-creations',
    async ({ shards }) => {
      const documents = numbered(120);
      const harness = await createPair(cluster, { shards, documents, transform });
      await harness.backfill();
      for (let round = 0; round < 3; round++) {
        await writeAlong(harness, round);
        await harness.round();
      }
      await writeAlong(harness, 3);
      await expectCompleted(harness);
      await harness.expectExact();
      await expectNothingLeft(harness, true);
    },
  );
});

test('the state of a document that a lost snapshot had brought is found again', async () => {
  const harness = await createPair(cluster, {
    shards: [1, 2],
    documents: numbered(120),
    transform: keepsIds,
  });
  await harness.backfill();
  await writeAlong(harness, 0);
  await harness.round();
  const { snapshot } = await harness.shard(0);
  await cluster.send('DELETE', '/_search/point_in_time', { pit_id: [snapshot?.pitId] });
  await writeAlong(harness, 1);
  await expectCompleted(harness);
  expect(harness.events).toContain('snapshot_lost');
  await harness.expectExact();
});

test('where ids are rewritten a lost snapshot ends the migration: nothing shows what must go', async () => {
  const harness = await createPair(cluster, {
    shards: [1, 2],
    documents: numbered(60),
    transform: rewritesIds,
  });
  await harness.backfill();
  const { snapshot } = await harness.shard(0);
  await cluster.send('DELETE', '/_search/point_in_time', { pit_id: [snapshot?.pitId] });
  await cluster.remove(harness.source, { id: 'd3' });
  await expectFailed(harness, /the transform may rewrite ids.*Start again into an empty target/);
});

test('a place that one document leaves and another one takes in the same round holds the other one', async () => {
  const transform = transformed('ctx._id = ctx._source.slot', ({ routing, source: body }) => ({
    id: String(body['slot']),
    routing,
    source: body,
  }));
  const documents = ['a', 'b', 'c'].map((slot) => ({ id: `doc-${slot}`, source: source(1, { slot }) }));
  const harness = await createPair(cluster, { shards: [1, 1], documents, transform });
  await harness.backfill();
  await cluster.put(harness.source, { id: 'doc-a' }, source(2, { slot: 'b' }));
  await cluster.put(harness.source, { id: 'doc-b' }, source(3, { slot: 'c' }));
  await cluster.put(harness.source, { id: 'doc-c' }, source(4, { slot: 'a' }));
  await harness.round();
  await cluster.remove(harness.source, { id: 'doc-b' });
  await cluster.put(harness.source, { id: 'doc-d' }, source(5, { slot: 'c' }));
  await expectCompleted(harness);
  await harness.expectExact();
});

const asItIs: ExpectedTransform = (document) => document;

test.each([
  {
    what: 'fails on one document',
    script: 'if (ctx._source.n == 17) { ctx._source.a = ctx._source.no_such.field }',
    reason:
      /script_exception: runtime error; null_pointer_exception.*script stack: .*no_such.* \(1: \[d17\]\)/,
  },
  {
    what: 'fails on one document and rewrites ids',
    script: "if (ctx._source.n == 17) { ctx._source.a = ctx._source.no_such.field } ctx._id = 'x' + ctx._id",
    reason: /failed for 1 of \d+ documents; first: document \[d17\].*script stack: .*no_such/,
  },
  {
    what: 'drops a document',
    script: "if (ctx._source.n == 17) ctx.op = 'none'",
    reason: /ctx\.op to something else: only \[index\] is supported.* \(1: \[d17\]\)/,
  },
  {
    what: 'leaves no object in _source',
    script: "if (ctx._source.n == 17) ctx._source = 'text'",
    reason: /must leave an object in ctx\._source.* \(1: \[d17\]\)/,
  },
  {
    what: 'changes the id without naming it',
    script: "if (ctx._source.n == 17) ctx['_' + 'id'] = 'other'",
    reason: /has changed ctx\._id or ctx\._routing without naming it.* \(1: \[d17\]\)/,
  },
  {
    what: 'takes the id away',
    script: 'if (ctx._source.n == 17) ctx._id = null',
    reason: /document \[d17\].*must leave a text in ctx\._id/,
  },
  {
    what: 'puts metadata into the source',
    script: "if (ctx._source.n == 17) ctx._source.put('_version', 3)",
    reason: /has put \[_version\] into ctx\._source.* \(1: \[d17\]\)/,
  },
])('a script that $what ends the migration with the document and the reason', async ({ script, reason }) => {
  const transform = transformed(script, asItIs);
  const harness = await createPair(cluster, { shards: [2, 2], documents: numbered(60), transform });
  await expectFailed(harness, reason);
});

test.each([{ script: 'ctx._source.added = 1' }, { script: "ctx._id = ctx._id + '-x'" }])(
  'an integer over 64 bits, which ingest can not hold, is refused by name: $script',
  async ({ script }) => {
    const documents = [...numbered(30), { id: 'huge', source: '{"n":123456789012345678901234567890}' }];
    const transform = transformed(script, asItIs);
    const harness = await createPair(cluster, { shards: [1, 1], documents, transform });
    const end = await expectFailed(harness, /unexpected value type \[class java\.math\.BigInteger\]/);
    expect(end.errorMessage).toContain('[huge]');
  },
);

test.each([{ script: 'ctx._source.added = 1' }, { script: "ctx._id = 'x-' + ctx._id" }])(
  'numbers over 2^53 and versions over it stay what they are: $script',
  async ({ script }) => {
    const version = '9007199254740993';
    const documents = [{ id: 'one', source: '{"big":9007199254740993,"one":1.0,"zero":-0.0}', version }];
    const transform = transformed(script, asItIs);
    const harness = await createPair(cluster, { shards: [1, 1], documents: numbered(5), transform });
    await cluster.put(harness.source, { id: 'one', version }, documents[0]?.source ?? '');
    await expectCompleted(harness);
    const text = await cluster.text('GET', `/${harness.target}/_search?version=true&size=100`);
    expect(text).toContain('"_version":9007199254740993');
    expect(text).toMatch(/"big":9007199254740993/);
    expect(text).toMatch(/"one":1\.0/);
    expect(text).toMatch(/"zero":-0\.0/);
  },
);

describe('two documents that a transform makes one', () => {
  const merging = transformed("ctx._id = 'id' + ctx._source.n", asItIs);
  const twins = ['x', 'y'].map((id) => ({ id, source: source(7) }));

  test('are counted and named after the copy where one shard holds both', async () => {
    const documents = [...numbered(60), ...twins];
    const harness = await createPair(cluster, { shards: [1, 2], documents, transform: merging });
    await harness.advance();
    await harness.job('backfill', 0);
    await expectFailed(
      harness,
      /2 documents met another one in their place in the target: .*\(target id \[id7\]\).*one id to several documents/,
    );
  });

  test('are counted and named at the end where several shards do, whatever the validation query looks at', async () => {
    const documents = [...numbered(60), ...twins];
    const options = { validationQuery: { term: { n: 1 } } };
    const harness = await createPair(cluster, { shards: [3, 3], documents, transform: merging, options });
    await expectFailed(harness, /Doc count validation failed without validation_query: source=62, target=60/);
  });

  test('are not hidden by a third document that comes later', async () => {
    const harness = await createPair(cluster, {
      shards: [3, 3],
      documents: numbered(60),
      transform: merging,
    });
    await harness.backfill();
    await cluster.put(harness.source, { id: 'late' }, source(8));
    await expectFailed(
      harness,
      /Doc count validation failed: source=61, target=60, diff=1, tolerance=0; documents are missing: .*; the transform gives one id to several/,
    );
  });
});

test('a pipeline that a user deletes ends the migration', async () => {
  const harness = await createPair(cluster, { shards: [1, 1], documents: numbered(60), transform: keepsIds });
  await harness.backfill();
  await cluster.send('DELETE', `/_ingest/pipeline/aosc-transform-${harness.key}`);
  await cluster.put(harness.source, { id: 'd1' }, source(1));
  await expectFailed(harness, /pipeline with id \[aosc-transform-[0-9a-f]+\] does not exist/);
});

test('a cancelled migration leaves no pipeline, not even a late one', async () => {
  const harness = await createPair(cluster, { shards: [1, 1], documents: numbered(30), transform: keepsIds });
  await harness.backfill();
  await harness.cancel();
  // Two steps: the commit token, then everything else.
  for (let step = 0; step < 2; step++) await harness.advance(undefined, { guardMs: 600_000 });
  expect(await harness.record()).toMatchObject({ phase: 'CANCELLED' });
  await expectNothingLeft(harness, false);
  const late = { processors: [] };
  await cluster.send('PUT', `/_ingest/pipeline/aosc-transform-${harness.key}`, late);
  await harness.advance();
  await expectNothingLeft(harness, false);
});

test('sources with comments, a byte order mark and line breaks go through a transform', async () => {
  const documents = numbered(5);
  const transform = transformed('ctx._source.added = 1', asItIs);
  const harness = await createPair(cluster, { shards: [1, 1], documents, transform });
  await cluster.put(harness.source, { id: 'odd1' }, '{"n":1 /* a */,\n"b":"//"} /* b */');
  await cluster.put(harness.source, { id: 'odd2' }, '\n {"n":2}\n');
  await cluster.put(harness.source, { id: 'odd3' }, '\ufeff{"n":3}');
  await cluster.put(harness.source, { id: 'plain' }, someSource('plain'));
  await expectCompleted(harness);
  const text = await cluster.text('GET', `/${harness.target}/_search?size=100`);
  expect(text.match(/"added":1/g)).toHaveLength(9);
});
