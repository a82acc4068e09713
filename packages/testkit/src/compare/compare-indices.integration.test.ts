import { startTestServer, type TestServer } from '../__tests__/server';
import { UnexpectedAnswer } from '../http/call-json';
import { WriterModel } from '../model';
import { createRandom } from '../random';
import { makeDocument } from '../random-document';
import { createSourceIndex, createTargetIndex } from '../test-indices';
import { compareIndices } from './compare-indices';
import { findLeftovers } from '../leftovers';
import { type MismatchKind, mismatchKinds } from './mismatches';

jest.setTimeout(600_000);

interface Document {
  id: string;
  routing?: string;
  version: string;
  source: string;
}

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** Two routings that lead to different shards of two, so that one id can exist under both. */
const routings = ['r1', 'r2', 'r3', 'r4', 'r5'] as const;

const documents: Document[] = Array.from({ length: 40 }, (_, n) => {
  const random = createRandom(n);
  const id = `doc ${n}/ü`;
  const version = n === 7 ? '9223372036854775807' : n === 8 ? '9007199254740993' : String(1 + n);
  const source = makeDocument(random, { id, revision: n });
  return n % 4 === 0 ? { id, routing: random.pick(routings), version, source } : { id, version, source };
});

async function put(index: string, { id, routing, version, source }: Document): Promise<void> {
  const query = `version=${version}&version_type=external_gte${routing === undefined ? '' : `&routing=${routing}`}`;
  await server.send('PUT', `/${index}/_doc/${encodeURIComponent(id)}?${query}`, source);
}

async function remove(index: string, { id, routing }: Document): Promise<void> {
  const query = routing === undefined ? '' : `?routing=${routing}`;
  await server.send('DELETE', `/${index}/_doc/${encodeURIComponent(id)}${query}`);
}

/** Deletes a document and writes another one, which may have a lower version: the tombstone blocks that for 200 ms. */
async function replace(index: string, old: Document, next: Document): Promise<void> {
  await remove(index, old);
  for (let written = false; !written;) {
    written = await put(index, next).then(
      () => true,
      (error: unknown) => {
        if (error instanceof UnexpectedAnswer && error.answer.status === 409) return false;
        throw error;
      },
    );
  }
}

/** A source and a target of other shard counts, with equal documents. */
async function createPair(): Promise<{ source: string; target: string }> {
  const [source, target] = [server.name('source'), server.name('target')];
  await createSourceIndex(server.http, {
    name: source,
    alias: server.name('alias'),
    shards: 2,
    routingShards: 16,
  });
  const settings = { 'index.gc_deletes': '0s' };
  await createTargetIndex(server.http, { name: target, shards: 4, routingShards: 16, settings });
  for (const document of documents) {
    await put(source, document);
    // as it looks after NDJSON: each line break a blank, and nothing around the value
    await put(target, { ...document, source: document.source.replace(/[\r\n]/g, ' ') });
  }
  return { source, target };
}

const counts = (mismatches: Awaited<ReturnType<typeof compareIndices>>['mismatches']) =>
  Object.fromEntries(mismatchKinds.map((kind) => [kind, mismatches[kind].count]));

const none: Record<MismatchKind, number> = {
  missing: 0,
  extra: 0,
  differentVersion: 0,
  differentRouting: 0,
  differentSource: 0,
};

test('equal indices have no mismatch, and nothing stays open', async () => {
  const pair = await createPair();
  const report = await compareIndices({ urls: server.urls, ...pair });
  expect(report).toMatchObject({
    sourceDocuments: 40,
    targetDocuments: 40,
    judgedBySource: 40,
    judgedByModel: 0,
  });
  expect(report.mismatches).toMatchObject({ total: 0 });
  expect(counts(report.mismatches)).toEqual(none);
  expect(await findLeftovers({ urls: server.urls, ...pair })).toEqual([]);
});

const [first, second] = [documents[1], documents[4]];
if (first === undefined || second?.routing === undefined) throw new Error('documents are not as planned');
const routed: Document = second;
const plain: Document = first;

const flaws: [string, (target: string) => Promise<void>, Partial<Record<MismatchKind, number>>][] = [
  ['one document missing', (target) => remove(target, plain), { missing: 1 }],
  ['one routed document missing', (target) => remove(target, routed), { missing: 1 }],
  ['one extra', (target) => put(target, { ...plain, id: 'resurrected' }), { extra: 1 }],
  [
    'one stale: an older version with older content',
    (target) => {
      const source = plain.source.replace('"revision":1', '"revision":0');
      return replace(target, plain, { ...plain, version: '1', source });
    },
    { differentVersion: 1, differentSource: 1 },
  ],
  [
    'one wrong routing',
    (target) => replace(target, routed, { ...routed, routing: routed.routing === 'r1' ? 'r2' : 'r1' }),
    { differentRouting: 1 },
  ],
  [
    'one routing lost',
    (target) => {
      const { id, version, source } = routed;
      return replace(target, routed, { id, version, source });
    },
    { differentRouting: 1 },
  ],
  ['one wrong version', (target) => put(target, { ...plain, version: '1000' }), { differentVersion: 1 }],
  [
    'one changed byte',
    (target) => put(target, { ...plain, source: plain.source.replace('"revision":1', '"revision":2') }),
    { differentSource: 1 },
  ],
  [
    'one number written another way',
    (target) => put(target, { ...plain, source: plain.source.replace('2.0', '2') }),
    { differentSource: 1 },
  ],
  [
    'one missing and one extra, which cancel out in a count',
    async (target) => {
      await remove(target, plain);
      await put(target, { ...plain, id: 'another' });
    },
    { missing: 1, extra: 1 },
  ],
];

test.each(flaws)('%s makes the comparison fail', async (_what, spoil, expected) => {
  const pair = await createPair();
  await spoil(pair.target);
  const { mismatches } = await compareIndices({ urls: server.urls, ...pair });
  expect(counts(mismatches)).toEqual({ ...none, ...expected });
  expect(mismatches.total).toBeGreaterThan(0);
  for (const kind of mismatchKinds) expect(mismatches[kind].samples).toHaveLength(mismatches[kind].count);
});

test('the last digit of a version beyond 2^53 counts', async () => {
  const pair = await createPair();
  const large = documents[8];
  if (large === undefined) throw new Error('documents are not as planned');
  await put(pair.target, { ...large, version: '9007199254740994' });
  const { mismatches } = await compareIndices({ urls: server.urls, ...pair });
  expect(counts(mismatches)).toEqual({ ...none, differentVersion: 1 });
});

test('one id under two routings is two documents, and the lack of one is seen', async () => {
  const pair = await createPair();
  const shardOf = new Map<number, string>();
  for (const routing of routings) {
    const answer = (await server.send('GET', `/${pair.source}/_search_shards?routing=${routing}`)).toString();
    shardOf.set(Number(/"shard":(\d+)/.exec(answer)?.[1]), routing);
  }
  const [one, other] = [shardOf.get(0), shardOf.get(1)];
  if (one === undefined || other === undefined) throw new Error('all routings lead to one shard');
  const twins = [one, other].map((routing) => ({
    id: 'twin',
    routing,
    version: '3',
    source: '{"revision":1}',
  }));
  for (const twin of twins) {
    await put(pair.source, twin);
    await put(pair.target, twin);
  }
  const equal = await compareIndices({ urls: server.urls, ...pair });
  expect(equal).toMatchObject({ sourceDocuments: 42, judgedBySource: 42, mismatches: { total: 0 } });
  await remove(pair.target, { id: 'twin', routing: other, version: '3', source: '' });
  const { mismatches } = await compareIndices({ urls: server.urls, ...pair });
  expect(mismatches.missing.samples).toMatchObject([{ id: 'twin', routing: other }]);
});

test('blanks, line breaks, a byte order mark and comments around and inside a source', async () => {
  const pair = await createPair();
  const odd = { id: 'odd', version: '1', source: '\ufeff \n{"a": /* "}" */ 1,\r\n"b":"x"}\r\n\t' };
  await put(pair.source, odd);
  await put(pair.target, { ...odd, source: '{"a": /* "}" */ 1,  "b":"x"}' });
  expect((await compareIndices({ urls: server.urls, ...pair })).mismatches.total).toBe(0);
  await put(pair.target, { ...odd, source: '{"a": /* "}" */ 1, "b":"x"}' });
  const { mismatches } = await compareIndices({ urls: server.urls, ...pair });
  expect(counts(mismatches)).toEqual({ ...none, differentSource: 1 });
});

describe('documents written after the swap', () => {
  const at = (index: string) => ({ index, seqNo: 1, primaryTerm: 1, uncertain: false });

  async function writeAfterSwap(target: string): Promise<WriterModel> {
    const model = new WriterModel();
    const version = '100';
    await put(target, { ...plain, version });
    const state = { present: true, sourceDigest: undefined, version } as const;
    model.set({ id: plain.id, routing: undefined, acceptable: [state], ...at(target) });
    await remove(target, routed);
    model.set({ id: routed.id, routing: routed.routing, acceptable: [{ present: false }], ...at(target) });
    return model;
  }

  test('are judged by the acknowledged history, all others by the source', async () => {
    const pair = await createPair();
    const model = await writeAfterSwap(pair.target);
    const report = await compareIndices({ urls: server.urls, ...pair, model });
    expect(report).toMatchObject({ judgedBySource: 38, judgedByModel: 2, mismatches: { total: 0 } });
  });

  test('fail when the acknowledged write is lost or the delete resurrected', async () => {
    const pair = await createPair();
    const model = await writeAfterSwap(pair.target);
    await remove(pair.target, plain);
    await put(pair.target, { ...routed, version: '500' });
    const { mismatches } = await compareIndices({ urls: server.urls, ...pair, model });
    expect(counts(mismatches)).toEqual({ ...none, missing: 1, extra: 1 });
  });

  test('a history that ended in the source excuses nothing', async () => {
    const pair = await createPair();
    const model = await writeAfterSwap(pair.target);
    for (const entry of [...model.values()]) model.set({ ...entry, index: pair.source });
    const { mismatches } = await compareIndices({ urls: server.urls, ...pair, model });
    expect(counts(mismatches)).toEqual({ ...none, missing: 1, differentVersion: 1 });
  });
});
