import { findForbiddenQuery } from './permitted-query';

type Query = Readonly<Record<string, unknown>>;

const shape = (type: string, coordinates: unknown): Query => ({
  geo_shape: { area: { shape: { type, coordinates } } },
});
const shapes = (geometries: readonly Query[]): Query => ({
  geo_shape: { area: { shape: { type: 'geometrycollection', geometries } } },
});
const inBox = (box: Query): Query => ({ geo_bounding_box: { at: box } });
const near = (at: unknown, distance: unknown = '1km', more: Query = {}): Query => ({
  geo_distance: { at, distance, ...more },
});
const text = (type: string, more: Query): Query => ({ [type]: { title: { query: 'a b', ...more } } });
const inFields = (more: Query): Query => ({ multi_match: { query: 'a b', fields: ['a', 'b'], ...more } });
const fuzzy = (more: Query): Query => ({ fuzzy: { a: { value: 'kitten', ...more } } });
const inner = { match_all: {} };
const child = (more: Query): Query => ({ has_child: { type: 'answer', query: inner, ...more } });

const longitude = 'a longitude from -360 to 360 is permitted';
const latitude = 'a latitude from -90 to 90 is permitted';
const altitude = 'an altitude from -100000 to 100000 is permitted';
const distance = 'a distance in metres from 0 to 40100000 is permitted';
const boost = 'a boost from 0 to 1000000 is permitted';

/** Each place of a number that is no value of a document, the ends of its range, and what is named when it is beyond. */
const places: readonly (readonly [phrase: string, ends: readonly unknown[], query: (n: unknown) => Query])[] =
  [
    [longitude, [-360, 360, '12.5'], (n) => shape('point', [n, 1])],
    [latitude, [-90, 90, '1e1'], (n) => shape('point', [1, n])],
    [altitude, [-100_000, 100_000], (n) => shape('point', [1, 1, n])],
    [longitude, [-360, 360], (n) => shape('linestring', [[0, 0], [n, 1]])], // prettier-ignore
    [longitude, [-360, 360], (n) => shape('multipoint', [[0, 0], [n, 1]])], // prettier-ignore
    [longitude, [-360, 360], (n) => shape('polygon', [[[0, 0], [n, 1], [1, 1], [0, 0]]])], // prettier-ignore
    [latitude, [-90, 90], (n) => shape('multilinestring', [[[0, 0], [1, n]]])], // prettier-ignore
    [latitude, [-90, 90], (n) => shape('multipolygon', [[[[0, 0], [1, n], [1, 1], [0, 0]]]])], // prettier-ignore
    [longitude, [-360, 360], (n) => shape('envelope', [[n, 2], [1, 1]])], // prettier-ignore
    [latitude, [-90, 90], (n) => shape('envelope', [[2, n], [1, 1]])], // prettier-ignore
    [longitude, [-360, 360], (n) => shapes([{ type: 'point', coordinates: [n, 1] }])],
    [
      longitude,
      [-360, 360],
      (n) =>
        shapes([
          { type: 'geometrycollection', geometries: [{ type: 'linestring', coordinates: [[0, 0], [n, 1]] }] }, // prettier-ignore
        ]),
    ],
    [longitude, [-360, 360, '7'], (n) => near({ lat: 1, lon: n })],
    [latitude, [-90, 90, '7'], (n) => near({ lat: n, lon: 1 })],
    [longitude, [-360, 360], (n) => near([n, 1])],
    [latitude, [-90, 90], (n) => near([1, n])],
    [longitude, [-360, 360], (n) => near(`1,${String(n)}`)],
    [latitude, [-90, 90], (n) => near(`${String(n)}, 1`)],
    [altitude, [-100_000, 100_000], (n) => near(`1,1,${String(n)}`)],
    [distance, [0, 40_100_000, '5'], (n) => near('1,1', n)],
    [distance, [0, 40_100], (n) => near('1,1', `${String(n)}km`)],
    [distance, [0, 21_652], (n) => near('1,1', `${String(n)}NM`)],
    [distance, [0, 24_916], (n) => near('1,1', `${String(n)} miles`)],
    [distance, [0, 40_100], (n) => near('1,1', n, { unit: 'km' })],
    [longitude, [-360, 360], (n) => ({ geo_polygon: { at: { points: [[n, 1]] } } })],
    [latitude, [-90, 90], (n) => ({ geo_polygon: { at: { points: [{ lat: n, lon: 1 }] } } })],
    [longitude, [-360, 360], (n) => ({ geo_polygon: { at: { points: [`1,${String(n)}`] } } })],
    ...['top_left', 'top_right', 'bottom_left', 'bottom_right'].map(
      (corner) => [longitude, [-360, 360], (n: unknown) => inBox({ [corner]: [n, 1] })] as const,
    ),
    ...['left', 'right'].map(
      (side) => [longitude, [-360, '360'], (n: unknown) => inBox({ [side]: n })] as const,
    ),
    ...['top', 'bottom'].map(
      (side) => [latitude, [-90, '90'], (n: unknown) => inBox({ [side]: n })] as const,
    ),
    ...['match_phrase', 'match_phrase_prefix'].map(
      (type) => ['a slop from 0 to 100', [0, 100, '3'], (n: unknown) => text(type, { slop: n })] as const,
    ),
    ['a slop from 0 to 100', [0, 100], (n) => inFields({ slop: n, type: 'phrase' })],
    ['a slop from 0 to 100', [0, 100], (n) => inFields({ slop: n })],
    ['a tie_breaker from 0 to 1', [0, 0.1, 1], (n) => inFields({ tie_breaker: n })],
    ['a tie_breaker from 0 to 1', [0, 0.1, 1], (n) => ({ dis_max: { queries: [inner], tie_breaker: n } })],
    [boost, [0, 0.1, 1_000_000], (n) => inFields({ fields: [`a^${String(n)}`] })],
    ...['match', 'match_bool_prefix'].map(
      (type) =>
        [
          'a minimum_should_match from -1024 to 1024',
          [-1_024, 1_024, '75%', '-25%', '3', '2<-25% 9<-3'],
          (n: unknown) => text(type, { minimum_should_match: n }),
        ] as const,
    ),
    ['a minimum_should_match', [3, '-25%'], (n) => inFields({ minimum_should_match: `2<${String(n)}` })],
    ['a minimum_should_match', [1, '99%'], (n) => ({ bool: { should: [inner], minimum_should_match: n } })],
    ['AUTO or a fuzziness from 0 to 2', [0, 2, 'AUTO', 'auto:3,6', '1'], (n) => fuzzy({ fuzziness: n })],
    ['a prefix_length from 0 to 256', [0, 256, '1'], (n) => fuzzy({ prefix_length: n })],
    ...['prefix', 'wildcard'].map(
      (type) =>
        [
          'a number of top terms from 1 to 1024',
          [1, 1_024],
          (n: unknown) => ({ [type]: { a: { value: 'x', rewrite: `top_terms_${String(n)}` } } }),
        ] as const,
    ),
    ['a number of children from 0 to 2147483647', [0, 2_147_483_647], (n) => child({ min_children: n })],
    ['a number of children from 0 to 2147483647', [0, 2_147_483_647], (n) => child({ max_children: n })],
    [boost, [0, 0.1], (n) => ({ boosting: { positive: inner, negative: inner, negative_boost: n } })],
    ...[
      (n: unknown) => ({ match_all: { boost: n } }),
      (n: unknown) => ({ term: { a: { value: 1, boost: n } } }),
      (n: unknown) => ({ terms: { a: [1], boost: n } }),
      (n: unknown) => ({ range: { a: { gt: 1, boost: n } } }),
      (n: unknown) => ({ ids: { values: [1], boost: n } }),
      (n: unknown) => ({ constant_score: { filter: inner, boost: n } }),
      (n: unknown) => ({ nested: { path: 'a', query: inner, boost: n } }),
      (n: unknown) => near('1,1', 1, { boost: n }),
    ].map((query) => [boost, [0, 1_000_000, '2'], query] as const),
  ];

const beyond = [
  1e10,
  1e12,
  1e300,
  -1e12,
  '1e12',
  '1e999',
  '-1e12',
  '99999999999999',
  'NaN',
  '0x1p40',
  'Infinity',
];

describe('each number that is no value of a document has a range', () => {
  test.each(places.flatMap(([, ends, query]) => ends.map((end) => [query(end)] as const)))(
    '%j is permitted',
    (query) => {
      expect(findForbiddenQuery(query)).toBeUndefined();
    },
  );

  test.each(places.map(([phrase, , query]) => ({ phrase, query, shown: query('N') })))(
    'beyond it $shown is refused, with the range',
    ({ phrase, query }) => {
      const problems = beyond.map((number) => findForbiddenQuery(query(number)) ?? `${number} is permitted`);
      const isNamed = (problem: string): boolean =>
        problem.includes(phrase) || /must have (?:the name of a rewrite|coordinates as)/.test(problem);
      expect(problems.filter((problem) => !isNamed(problem))).toEqual([]);
      expect(problems[0]).toContain(phrase);
    },
  );
});

test('the values of documents are free', () => {
  const values = [1e300, -1e12, '1e12', 0.1];
  for (const value of values) {
    expect(findForbiddenQuery({ term: { n: value } })).toBeUndefined();
    expect(findForbiddenQuery({ terms: { n: [value] } })).toBeUndefined();
    expect(findForbiddenQuery({ range: { n: { gte: value, lt: value } } })).toBeUndefined();
  }
});

test.each<[string, Query]>([
  ['must have two or three numbers', shape('point', [1])],
  ['must have two or three numbers', shape('point', [1, 1, 1, 1])],
  ['must have two or three numbers', shape('point', [])],
  ['must have two or three numbers', shape('linestring', [[0, 0], []])],
  ['must have numbers in lists', shape('linestring', [[0, 0], 1])],
  ['must have numbers in lists', shape('linestring', [[[0, 0]], 1])],
  ['nested too deep', shape('multipolygon', [[[[[0, 0]]]]])],
  ['must have coordinates', near('drm3btev3e86drm3')],
  ['has [radius] for [a shape]', { geo_shape: { a: { shape: { type: 'circle', radius: '1km' } } } }],
  ['a distance in metres', near('1,1', '1 furlong')],
  ['must have one of the units', near('1,1', '1', { unit: 'parsec' })],
])('%s', (phrase, query) => {
  expect(findForbiddenQuery(query)).toContain(phrase);
});
