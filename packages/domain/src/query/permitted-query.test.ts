import fc from 'fast-check';
import { findForbiddenQuery, permittedQueries } from './permitted-query';

const good: readonly Readonly<Record<string, unknown>>[] = [
  {},
  { match_all: {} },
  { match_all: { boost: 1, _name: 'all' } },
  { term: { status: 'open' } },
  { term: { status: { value: 'Open', boost: 2 } } },
  { term: { boost: 1 } },
  { terms: { hash: ['123e4567', '1e-999', '123e4567-e89b', 'e-12345'] } },
  { terms: { id: [1, 2, 'three', true], boost: 1 } },
  { range: { at: { gte: 'now-1d/d', lt: '2020-01-01||+1M/M' } } },
  { range: { n: { gt: 1, lte: null } } },
  { exists: { field: 'a.b' } },
  { ids: { values: ['1', 2] } },
  { ids: { values: '1' } },
  { prefix: { name: 'ab' } },
  { prefix: { name: { value: 'ab' } } },
  { bool: { must_not: { term: { revision: -1 } } } },
  {
    bool: {
      must: [{ match_all: {} }],
      filter: { term: { a: 1 } },
      should: [],
      minimum_should_match: 1,
      boost: 1,
    },
  },
];

test.each(good)('%j is permitted', (query) => {
  expect(findForbiddenQuery(query)).toBeUndefined();
});

test('every permitted query is among them', () => {
  const text = JSON.stringify(good);
  expect(permittedQueries.filter((type) => !text.includes(`"${type}":`))).toEqual([]);
});

const elsewhere = { index: 'b-secret', id: '1', path: 'p' };
/** A query of each other kind that OpenSearch has, only by its name: the check looks into none. */
const others = (
  'boosting constant_score dis_max distance_feature function_score fuzzy geo_bounding_box geo_distance geo_polygon ' +
  'geo_shape has_child has_parent hybrid intervals knn match match_bool_prefix match_none match_phrase ' +
  'match_phrase_prefix more_like_this multi_match nested neural parent_id percolate pinned query_string rank_feature ' +
  'regexp script script_score simple_query_string span_term template terms_set wildcard wrapper xy_shape constructor __proto__'
).split(' ');

test.each(others)('%s needs a credential without limits', (type) => {
  const query = JSON.parse(`{"bool":{"must":[{"${type}":{}}]}}`) as Readonly<Record<string, unknown>>;
  expect(findForbiddenQuery(query)).toContain(`must not hold [${type}] at [bool.must.0]`);
});

test.each<[string, Readonly<Record<string, unknown>>]>([
  ['must have a list at [terms.a]', { terms: { a: elsewhere } }],
  ['an object with one field', { terms: { a: [1], value_type: 'bitmap' } }],
  ['an object with one field', { term: { a: 1, b: 2 } }],
  ['has [case_insensitive] at [term.a]', { term: { a: { value: 'x', case_insensitive: true } } }],
  ['has [rewrite] at [prefix.a]', { prefix: { a: { value: 'x', rewrite: 'top_terms_9999' } } }],
  ['has [format] at [range.a]', { range: { a: { gte: '1', format: 'VV' } } }],
  ['has [time_zone] at [range.a]', { range: { a: { gte: '1', time_zone: 'x' } } }],
  ['has [__proto__] at [term.a]', { term: { a: JSON.parse('{"__proto__":1}') as unknown } }],
  ['must have a text, a number or a boolean', { term: { a: ['x'] } }],
  ['must have a text, a number or a boolean', { term: { a: { value: { script: '1' } } } }],
  ['must have a text', { prefix: { a: 1 } }],
  ['an exponent below -999', { term: { a: '1e-10000000' } }],
  ['an exponent below -999', { range: { a: { gt: '-.5E-1000' } } }],
  ['an exponent below -999', { terms: { a: ['１e-９９９９'] } }],
  ['up to three digits', { range: { a: { gt: 'now-9999999y' } } }],
  ['up to three digits', { range: { a: { gt: 'now+１y' } } }],
  ['up to three digits', { range: { a: { gt: '2020||+1d+1d+1d+1d' } } }],
  ['a boost from 0', { match_all: { boost: -1 } }],
  ['a boost from 0', { match_all: { boost: '1' } }],
  ['a number from 0', { bool: { minimum_should_match: '2<-25%' } }],
  ['a text of more than 1024', { term: { a: 'x'.repeat(1_025) } }],
  ['a text of more than 1024', { term: { ['x'.repeat(1_025)]: 1 } }],
  ['the name of one query', { match_all: {}, exists: {} }],
  ['the name of one query', { bool: { must: [{}] } }],
  ['the name of one query', { bool: { must: 'x' } }],
])('%s', (phrase, query) => {
  expect(findForbiddenQuery(query)).toContain(phrase);
});

test('a refusal names what is permitted, and what else helps', () => {
  const reason = findForbiddenQuery({ wrapper: {} });
  expect(reason).toContain('may use [bool, exists, ids, match_all, prefix, range, term, terms]');
  expect(reason).toContain('one without limits may use every query');
});

describe('the size is bounded', () => {
  const deep = (depth: number): Readonly<Record<string, unknown>> =>
    depth === 1 ? { match_all: {} } : { bool: { filter: deep(depth - 1) } };
  const wide = (count: number) => ({
    bool: { should: Array.from({ length: count }, () => ({ match_all: {} })) },
  });
  const many = (count: number) => ({ terms: { a: Array.from({ length: count }, (_, n) => n) } });

  const prefixes = (count: number) => ({
    bool: { should: Array.from({ length: count }, () => ({ prefix: { a: 'x'.repeat(256) } })) },
  });

  test.each([
    [prefixes(4), undefined],
    [prefixes(5), 'more than 1024 characters in all prefixes'],
    [deep(20), undefined],
    [deep(21), 'nested deeper than 20'],
    [wide(511), undefined],
    [wide(512), 'more than 512 clauses'],
    [many(19_999), undefined],
    [many(20_001), 'more than 20000 values'],
  ])('case %#', (query, phrase) => {
    const problem = findForbiddenQuery(query);
    if (phrase === undefined) expect(problem).toBeUndefined();
    else expect(problem).toContain(phrase);
  });
});

/** Words that make OpenSearch run or read something, in places and under names of all kinds. */
const forbiddenWords = [
  'script',
  'wrapper',
  'indexed_shape',
  'template',
  'percolate',
  'stored',
  'query_string',
];
const names = [
  ...permittedQueries,
  ...forbiddenWords,
  'query',
  'filter',
  'must',
  'field',
  'index',
  'path',
  'like',
];

test('whatever is accepted holds no word that runs or reads anything, but as the name of a field', () => {
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 6 },
      fc.constantFrom<unknown>('x', 1, true, '*'),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names), tie('tree'), { maxKeys: 3 }),
    ),
  }));
  const queryLike = fc.dictionary(fc.constantFrom(...names), tree, { minKeys: 1, maxKeys: 2 });
  fc.assert(
    fc.property(queryLike, (query) => {
      if (findForbiddenQuery(query) !== undefined) return;
      expect(queriesIn(query).filter((type) => !permittedQueries.includes(type))).toEqual([]);
    }),
    { numRuns: 5_000 },
  );
});

/** What stands where OpenSearch reads the name of a query. */
function queriesIn(query: unknown): readonly string[] {
  if (Array.isArray(query)) return query.flatMap(queriesIn);
  if (typeof query !== 'object' || query === null) return [];
  return Object.entries(query).flatMap(([type, body]) => {
    const parts = typeof body === 'object' && body !== null ? Object.entries(body as object) : [];
    const inner = ['must', 'filter', 'should', 'must_not'];
    if (type !== 'bool') return [type];
    return [type, ...parts.flatMap(([name, value]) => (inner.includes(name) ? queriesIn(value) : []))];
  });
}
