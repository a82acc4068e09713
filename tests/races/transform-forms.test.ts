import type { ExpectedTransform, LoadedDocument } from '@aosc/testkit';
import { borrowCluster, type Cluster } from './support/cluster';
import { createPair, type PairOptions } from './support/pairs';
import { transformed } from './support/transformed';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

const source = (n: number): string => JSON.stringify({ n, group: `g${n % 3}` });
const documents: readonly LoadedDocument[] = Array.from({ length: 20 }, (_, n) => ({
  id: `d${n}`,
  source: source(n),
}));

interface Case {
  readonly what: string;
  /** @param move statements that give the document another id, or none */
  readonly script: (move: string) => string;
  readonly params?: Readonly<Record<string, unknown>>;
  /** what it makes of a document's source; default: `seen` is 17 */
  readonly makes?: (body: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
  readonly mappings?: PairOptions['mappings'];
}

const cases: readonly Case[] = [
  { what: 'that is one statement', script: (move) => `${move}ctx._source.seen = 17` },
  { what: 'with a brace in a comment at its end', script: (move) => `${move}ctx._source.seen = 17 // }` },
  {
    what: 'with variables that are called as ours are',
    script: (move) => `${move}def source = 8; int id = 9; Map own = [:]; ctx._source.seen = source + id`,
  },
  {
    what: 'that returns early',
    script: (move) => `${move}ctx._source.seen = 17; if (ctx._source.n >= 0) return; ctx._source.n = 0`,
  },
  {
    what: 'that ends with a condition and the elements of an array',
    script: (move) => `${move}ctx._source.seen = 17; int[] a; if (ctx._source.n >= 0) a = new int[] {1, 2}`,
  },
  {
    what: 'with functions',
    script: (move) =>
      `int own(int n) { return n + 8; } Map id(Map m) { m } ${move}id(ctx._source).seen = own(9)`,
  },
  {
    what: 'with a function that is hard to read',
    script: (move) =>
      `boolean own(String s) { if (s =~ /}'/) { return true } return false } ${move}ctx._source.seen = own('') ? 1 : 17`,
  },
  {
    what: 'that is nearly as large as one may be',
    script: (move) => `/* ${'x'.repeat(60_000)} */ ${move}ctx._source.seen = 17`,
  },
  {
    what: 'that names another index',
    script: (move) => `${move}ctx._source.seen = 17; ctx._index = 'other'`,
  },
  {
    what: 'that takes the wrapper for its own',
    script: (move) => `${move}ctx._aosc = [:]; ctx._source.seen = 17; ctx.remove('_aosc')`,
  },
  {
    what: 'that puts another map in the place of ctx',
    script: (move) => `${move}ctx = new HashMap(ctx); ctx._source.seen = 17`,
  },
  {
    what: 'that does so where the target parses nothing',
    script: (move) => `${move}ctx = new HashMap(ctx); ctx._source.seen = 17`,
    mappings: { enabled: false },
  },
  {
    what: 'that puts nothing in the place of ctx',
    script: (move) => `${move}Map c = ctx; c._source.seen = 17; ctx = null`,
  },
  {
    what: 'that would change the version',
    script: (move) =>
      `${move}ctx._source.seen = 17; ctx._version = 99; if (ctx._aosc != null) ctx._aosc.version = 99`,
  },
  {
    what: 'that fills an object of its params in',
    script: (move) =>
      `${move}ctx._source.at = params.d; ctx._source.at.city = ctx._source.group; ctx._source.at.list.add(1)`,
    params: { d: { country: 'de', list: [0] } },
    makes: (body) => ({ ...body, at: { country: 'de', city: body['group'], list: [0, 1] } }),
  },
  {
    what: 'that fills a list of its params in',
    script: (move) => `${move}params.l.set(0, ctx._source.n); ctx._source.l = params.l`,
    params: { l: [1, 2] },
    makes: (body) => ({ ...body, l: [body['n'], 2] }),
  },
  {
    what: 'that makes params the source',
    script: (move) =>
      `${move}int n = ctx._source.n; ctx._source = params.t; ctx._source.n = n; ctx._source.get('in').n = n`,
    params: { t: { in: { a: 1 } } },
    makes: ({ n }) => ({ n, in: { a: 1, n } }),
  },
];

const see: NonNullable<Case['makes']> = (body) => ({ ...body, seen: 17 });

describe.each([
  { where: 'in the bulks', move: '' },
  { where: 'before them', move: "ctx._id = 'x-' + ctx._id; " },
])('a script that runs $where', ({ move }) => {
  const isMoved = move !== '';

  test.each(cases)('$what changes each document as it would by itself', async (one) => {
    const { script, params, makes = see, mappings } = one;
    const expected: ExpectedTransform = ({ id, routing, source: body }) => {
      return { id: isMoved ? `x-${id}` : id, routing, source: makes(body) };
    };
    const transform = transformed(script(move), expected, params);
    const harness = await createPair(cluster, {
      shards: [1, 2],
      documents,
      transform,
      ...(mappings !== undefined && { mappings }),
    });
    await harness.backfill();
    await cluster.put(harness.source, { id: 'd3' }, source(30));
    await cluster.remove(harness.source, { id: 'd4' });
    await cluster.put(harness.source, { id: 'routed', routing: 'r' }, source(5));
    const { phase, errorMessage } = await harness.runUntil('COMPLETED');
    expect({ phase, errorMessage }).toEqual({ phase: 'COMPLETED' });
    await harness.expectExact();
  });
});

test('a script that grows too large with what the service adds ends the migration', async () => {
  const transform = transformed(`/* ${'x'.repeat(64_000)} */ ctx._source.seen = 17`, (each) => each);
  const harness = await createPair(cluster, { shards: [1, 1], documents, transform });
  const { phase, errorMessage } = await harness.runUntil('COMPLETED');
  expect(errorMessage).toMatch(/exceeded max allowed inline script size/);
  expect(phase).toBe('FAILED');
});
