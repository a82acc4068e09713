import fc from 'fast-check';
import { findForbiddenQuery, permittedQueries } from './permitted-query';

const good: readonly Readonly<Record<string, unknown>>[] = [
  {},
  { match_all: {} },
  { match_none: { boost: 1, _name: 'none' } },
  { term: { status: 'open' } },
  { terms: { hash: ['123e4567', '1e-999', '123e4567-e89b', 'e-12345'] } },
  { term: { status: { value: 'Open', case_insensitive: true, boost: 2 } } },
  { terms: { id: [1, 2, 'three', true], boost: 1 } },
  { range: { at: { gte: 'now-1d/d', lt: '2020-01-01||/M', time_zone: '+01:00', format: 'yyyy-MM-dd' } } },
  { range: { n: { from: 1, to: 2, include_lower: false, relation: 'within' } } },
  { exists: { field: 'a.b' } },
  { ids: { values: ['1', 2] } },
  { ids: { values: '1' } },
  { prefix: { name: 'ab' } },
  { prefix: { name: { value: 'ab', case_insensitive: true } } },
  { wildcard: { name: 'a*b?c' } },
  { fuzzy: { name: { value: 'kitten', fuzziness: 'AUTO' } } },
  { match: { title: 'a few words' } },
  { match: { title: { query: 'a few words', operator: 'and', minimum_should_match: '75%' } } },
  { match_phrase: { title: { query: 'a few words', slop: 2 } } },
  { match_phrase_prefix: { title: 'a few w' } },
  { match_bool_prefix: { title: 'a few w' } },
  { multi_match: { query: 'words', fields: ['title^2', 'text'], type: 'best_fields' } },
  { bool: { must_not: { term: { revision: -1 } } } },
  {
    bool: {
      must: [{ match_all: {} }],
      filter: { term: { a: 1 } },
      should: [],
      minimum_should_match: '-25%',
      boost: 1,
    },
  },
  { constant_score: { filter: { term: { a: 1 } }, boost: 3 } },
  { dis_max: { queries: [{ term: { a: 1 } }, { term: { b: 1 } }], tie_breaker: 0.7 } },
  { boosting: { positive: { match_all: {} }, negative: { term: { a: 1 } }, negative_boost: 0.5 } },
  { nested: { path: 'lines', query: { term: { 'lines.n': 1 } }, score_mode: 'none', ignore_unmapped: true } },
  { has_child: { type: 'answer', query: { match_all: {} }, min_children: 1 } },
  { has_parent: { parent_type: 'question', query: { match_all: {} } } },
  { parent_id: { type: 'answer', id: '1' } },
  {
    geo_bounding_box: { at: { top_left: { lat: 40.7, lon: -74.1 }, bottom_right: [-71.1, 40.0] }, boost: 1 },
  },
  { geo_distance: { distance: '200km', at: 'drm3btev3e86', distance_type: 'plane' } },
  { geo_distance: { distance: '200km', at: '40,-70' } },
  { geo_polygon: { at: { points: ['40,-70', [30, -80], { lat: 20, lon: -90 }] } } },
  {
    geo_shape: {
      area: {
        shape: {
          type: 'envelope',
          coordinates: [
            [13, 53],
            [14, 52],
          ],
        },
        relation: 'within',
      },
      ignore_unmapped: true,
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

const wrapped = Buffer.from('{"script":{"script":null}}').toString('base64');
const elsewhere = { index: 'b-secret', id: '1', path: 'p' };

test.each<[string, Readonly<Record<string, unknown>>]>([
  ['must not hold [wrapper]', { wrapper: { query: wrapped } }],
  ['must not hold [wrapper] at [bool.must.0]', { bool: { must: [{ wrapper: { query: wrapped } }] } }],
  ['must not hold [script]', { script: { script: '1' } }],
  ['must not hold [script_score]', { script_score: { query: { match_all: {} }, script: { source: '1' } } }],
  ['must not hold [function_score]', { function_score: { query: { match_all: {} } } }],
  ['must not hold [template]', { template: { term: { a: 1 } } }],
  ['must not hold [percolate]', { percolate: { field: 'q', ...elsewhere } }],
  ['must not hold [more_like_this]', { more_like_this: { like: [{ _index: 'b-secret', _id: '1' }] } }],
  ['must not hold [terms_set]', { terms_set: { a: { terms: ['x'], minimum_should_match_script: {} } } }],
  ['must not hold [query_string]', { query_string: { query: '((((' } }],
  ['must not hold [regexp]', { regexp: { a: '(a{1000}){1000}' } }],
  ['must not hold [intervals]', { intervals: { a: { match: { filter: { script: {} } } } } }],
  ['must not hold [constructor]', { constructor: {} }],
  ['must have a list at [terms.a]', { terms: { a: elsewhere } }],
  [
    'has [indexed_shape] for [geo_shape] at [geo_shape.a]',
    { geo_shape: { a: { indexed_shape: elsewhere } } },
  ],
  ['must have a shape as an object', { geo_shape: { a: { shape: 'POINT (1 1)' } } }],
  ['must have coordinates', { geo_distance: { distance: '1km', a: 'POINT (1 1)' } }],
  ['must have true or false', { match: { a: { query: 'x', lenient: 'perhaps' } } }],
  ['has [inner_hits] for [nested]', { nested: { path: 'a', query: { match_all: {} }, inner_hits: {} } }],
  ['has [fuzzy_rewrite] for [match]', { match: { a: { query: 'x', fuzzy_rewrite: 'x' } } }],
  ['has [__proto__] for [term]', { term: { a: JSON.parse('{"__proto__":1}') as unknown } }],
  ['must have a text, a number or a boolean', { term: { a: ['x'] } }],
  ['must have a text, a number or a boolean', { term: { a: { value: { script: '1' } } } }],
  ['an exponent below -999', { term: { a: '1e-10000000' } }],
  ['an exponent below -999', { range: { a: { gt: '-.5E-1000' } } }],
  ['an exponent below -999', { terms: { a: ['１e-９９９９'] } }],
  ['more than 4 wildcards', { wildcard: { a: '*a*b*c*d*' } }],
  ['pattern of more than 256', { fuzzy: { a: 'x'.repeat(257) } }],
  ['a text of more than 1024', { match: { a: 'x'.repeat(1_025) } }],
  ['a text of more than 1024', { term: { ['x'.repeat(1_025)]: 1 } }],
  ['must name the fields of [multi_match] one by one', { multi_match: { query: 'x' } }],
  ['must name the fields of [multi_match] one by one', { multi_match: { query: 'x', fields: [] } }],
  ['must name the fields of [multi_match] one by one', { multi_match: { query: 'x', fields: ['a', '*'] } }],
  ['the name of one query', { match_all: {}, match_none: {} }],
  ['the name of one query', { bool: { must: [{}] } }],
  ['the name of one query', { bool: { must: 'x' } }],
])('%s', (phrase, query) => {
  const problem = findForbiddenQuery(query);
  expect(problem).toContain(phrase);
});

test('a refusal names what is permitted', () => {
  expect(findForbiddenQuery({ wrapper: {} })).toContain(`permitted are [${permittedQueries.join(', ')}]`);
});

describe('the size is bounded', () => {
  const deep = (depth: number): Readonly<Record<string, unknown>> =>
    depth === 1 ? { match_all: {} } : { bool: { filter: deep(depth - 1) } };
  const wide = (count: number) => ({
    bool: { should: Array.from({ length: count }, () => ({ match_all: {} })) },
  });
  const many = (count: number) => ({ terms: { a: Array.from({ length: count }, (_, n) => n) } });

  const inFields = (fields: number, texts: number) => ({
    bool: {
      should: Array.from({ length: texts }, () => ({
        multi_match: {
          query: 'x'.repeat(1_024),
          fields: Array.from({ length: fields }, (_, n) => `f${n}`),
        },
      })),
    },
  });

  test.each([
    [inFields(8, 8), undefined],
    [inFields(13, 5), 'more than 65536 characters in all fields'],
    [deep(20), undefined],
    [deep(21), 'nested deeper than 20'],
    [wide(511), undefined],
    [wide(512), 'more than 512 clauses'],
    [many(19_999), undefined],
    [many(20_000), 'too many values'],
    [{ terms: { a: Array.from({ length: 300 }, () => 'x'.repeat(1_000)) } }, 'longer than 262144 characters'],
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
    const inner = ['must', 'filter', 'should', 'must_not', 'queries', 'positive', 'negative', 'query'];
    const isCompound = ['bool', 'constant_score', 'dis_max', 'boosting', 'nested', 'has_child', 'has_parent'];
    if (!isCompound.includes(type)) return [type];
    return [type, ...parts.flatMap(([name, value]) => (inner.includes(name) ? queriesIn(value) : []))];
  });
}
