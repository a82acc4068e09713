import { permittedQueries } from '@aosc/domain';
import type { Random } from '@aosc/testkit';
import type { Grower, Names } from './grower';
import { bodies } from './query-dsl';

const texts = [
  'x',
  '',
  'now-1d/d',
  '2020-01-01||/M',
  '*',
  '*a?b*',
  '1e-999999999',
  '-1',
  'NaN',
  'AUTO',
  '75%',
  '3<90%',
  'within',
  'and',
  '::/0',
  'drm3btev3e86',
  '40.7,-74',
  '1km',
  'POINT (1 1)',
  '(a{1000}){1000}',
  '((((((((((a',
  '/.*(a|b)+/',
  'constructor',
  '__proto__',
  '{{secret}}',
  'ctx._source',
  'x'.repeat(2_000),
  'a b '.repeat(300),
  '\u0000',
  '\ud800',
  '９e-９９９９',
  '1e-40000000',
  '1000000000000',
  '-1e12',
  '1e300',
  '1,1000000000000',
  '1e12,1',
  '1e12km',
  'top_terms_1000000000',
  'k^1e300',
  'AUTO:0,1000000000',
  '2<1000000000',
  '-1000000000%',
  'now+1000000000y/w',
  'a '.repeat(500),
  'a'.repeat(250),
] as const;

const sources = [
  'true',
  "doc['k'].value == 'x'",
  'while (true) {}',
  'throw new IllegalArgumentException(ctx._source.toString())',
  'def m = new HashMap(); for (int i = 0; i < 200000; i++) { def n = new HashMap(); n.put("a", m); m = n; } ctx._source.m = m',
  'ctx._source.n = 1',
  "ctx._index = 'b-secret'",
  'identity',
] as const;

/** Some values cost as much as they are large, in unexpected places: the length of a line, the room in a phrase. */
const numbers = [
  ...[0, 1, -1, 0.5, 0.1, -0, 1e-320, 7, 100, 180, -90, 1_000, 1e6, -1e6],
  ...[2 ** 31 - 1, 2 ** 31, 1e12, -1e12, 2 ** 53 - 1, 1e300, 1e308],
] as const;
const reasonable = [0, 1, -1, 2, 10.5, 45, -90] as const;

/** How deep queries may be in each other, by chance. */
const maxDepth = 6;

export function createGrower(random: Random, names: Names): Grower {
  let depth = 0;
  /** Half of the starts hold little but what is permitted: those are what comes as far as the cluster. */
  const strict = random.next() < 0.5;
  const chance = (part: number) => random.next() < part;
  /** Mostly a valid one, so that a clause with one extreme number is right apart from it. */
  const coordinate = (): number => (chance(0.8) ? random.pick(reasonable) : random.pick(numbers));
  const position = (): readonly number[] => [coordinate(), coordinate()];
  const ring = (): readonly unknown[] => [[0, 0], position(), [1, 1], [0, 0]];
  const grower: Grower = {
    random,
    names,
    chance,
    text: () => random.pick(texts),
    value: () => {
      const kinds = [
        () => grower.text(),
        () => random.pick(numbers),
        () => chance(0.5),
        () => grower.field(),
        () => grower.name(),
      ] as const;
      return strict || chance(0.9) ? random.pick(kinds)() : grower.json();
    },
    field: () => (chance(0.9) ? random.pick([...names.fields]) : grower.text()),
    name: () => random.pick([...names.own, ...names.foreign]),
    list: (of, max = 4) => Array.from({ length: random.below(max + 1) }, of),
    query: () => {
      depth += 1;
      try {
        const all = depth > maxDepth ? leafNames : strict && chance(0.97) ? permittedNames : everyName;
        const type = random.pick(all);
        const body = bodies.get(type)?.(grower) ?? {};
        if (strict || chance(0.95)) return { [type]: mutate(grower, body, strict ? 0.02 : 0.1) };
        return { [type]: grower.json() };
      } finally {
        depth -= 1;
      }
    },
    script: () => {
      const source = random.pick(sources);
      if (chance(0.2)) return source;
      const named = { id: random.pick(['stored', 'b-script', '../x']) };
      const inline = { source, lang: random.pick(['painless', 'expression', 'mustache']) };
      return { ...(chance(0.3) ? named : inline), ...(chance(0.3) && { params: { a: grower.json() } }) };
    },
    lookup: () => ({
      index: random.pick([...names.foreign]),
      id: random.pick(['1', '2']),
      path: grower.field(),
      ...(chance(0.3) && { routing: 'x', store: chance(0.5) }),
    }),
    point: () =>
      random.pick<unknown>([
        { lat: 1, lon: 2 },
        [1, 2],
        '1,2',
        'drm3btev3e86',
        'POINT (1 2)',
        { lat: '1e999', lon: null },
        [[[1]]],
        [1e308, -1e308],
        { lat: coordinate(), lon: coordinate() },
        [coordinate(), coordinate()],
        `${coordinate()},${coordinate()}`,
      ]),
    shape: () =>
      random.pick<unknown>([
        { type: 'point', coordinates: [1, 2] },
        {
          type: 'envelope',
          coordinates: [
            [1, 3],
            [2, 1],
          ],
        },
        {
          type: 'polygon',
          coordinates: [
            [
              [0, 0],
              [0, 1],
              [1, 1],
              [0, 0],
            ],
          ],
        },
        { type: 'geometrycollection', geometries: [{ type: 'point', coordinates: [1, 2] }] },
        { type: 'circle', radius: '1km', coordinates: [1, 2] },
        { type: 'polygon', coordinates: [[[0, 0]]] },
        'GEOMETRYCOLLECTION(POINT (1 1))',
        { type: 'linestring', coordinates: Array.from({ length: 200 }, (_, n) => [n % 180, n % 90]) },
        { type: 'linestring', coordinates: [position(), position()] },
        { type: 'multilinestring', coordinates: [[position(), position()]] },
        { type: 'envelope', coordinates: [position(), position()] },
        { type: 'polygon', coordinates: [ring()] },
        { type: 'multipolygon', coordinates: [[ring()]] },
        { type: 'multipoint', coordinates: [position(), [...position(), coordinate()]] },
        {
          type: 'geometrycollection',
          geometries: [{ type: 'linestring', coordinates: [position(), position()] }],
        },
      ]),
    json: () => grow(grower, 3),
  };
  return grower;
}

const everyName = [...bodies.keys()] as [string, ...string[]];
const permittedNames = [...permittedQueries] as [string, ...string[]];
const leafNames = ['term', 'match_all', 'exists', 'range'] as [string, ...string[]];

/** Any JSON. */
function grow(grower: Grower, depth: number): unknown {
  const { random } = grower;
  const kinds = [
    () => grower.text(),
    () => random.pick(numbers),
    () => null,
    () => true,
    () => (depth > 0 ? grower.list(() => grow(grower, depth - 1), 3) : []),
    () => (depth > 0 ? { [grower.text()]: grow(grower, depth - 1), [random.pick(everyName)]: 1 } : {}),
    () => (depth > 0 ? grower.query() : {}),
    () => grower.script(),
    () => grower.lookup(),
  ] as const;
  return random.pick(kinds)();
}

/** Sometimes something else where a value stands, or a parameter of another query. */
function mutate(grower: Grower, body: unknown, part: number): unknown {
  if (!grower.chance(part) || typeof body !== 'object' || body === null) return body;
  const entries = Object.entries(body);
  const name = grower.chance(0.5) ? entries[grower.random.below(entries.length)]?.[0] : undefined;
  const key =
    name ?? grower.random.pick(['script', 'index', 'inner_hits', 'indexed_shape', 'boost', '_name']);
  return { ...body, [key]: grower.json() };
}
