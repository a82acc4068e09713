import { numberIn, outside, ranges, readNumber } from './number-ranges';
import {
  type Check,
  isObject,
  literal,
  listOf,
  nameText,
  objectOf,
  objectOr,
  parameters,
  place,
} from './value-checks';

/** Lists in lists: a multi-polygon has four levels of them, the last are positions. */
const maxCoordinateDepth = 4;
const maxShapeDepth = 3;

export const latitude = numberIn(ranges.latitude);
export const longitude = numberIn(ranges.longitude);
const altitude = numberIn(ranges.altitude);

/** `[lon, lat]`, perhaps with an altitude. */
const position: Check = (value, at, budget) => {
  const numbers: readonly unknown[] = Array.isArray(value) ? value : [];
  if (numbers.length < 2 || numbers.length > 3) return `it must have two or three numbers${place(at)}`;
  const checks = [longitude, latitude, altitude];
  for (const [index, number] of numbers.entries()) {
    const problem = checks[index]?.(number, [...at, String(index)], budget);
    if (problem !== undefined) return problem;
  }
  return undefined;
};

const coordinates =
  (depth: number): Check =>
  (value, at, budget) => {
    if (!Array.isArray(value)) return `it must have numbers in lists${place(at)}`;
    if (!Array.isArray(value[0])) return position(value, at, budget);
    if (depth === 1) return `it has coordinates nested too deep${place(at)}`;
    return listOf(coordinates(depth - 1))(value, at, budget);
  };

/** "lat,lon", perhaps with an altitude, or a geohash. Well-known text is left out: it nests without a bound. */
const pointText: Check = (value, at, budget) => {
  const problem = literal(value, at, budget);
  if (problem !== undefined) return problem;
  const text = typeof value === 'string' ? value.trim() : '';
  if (/^[0-9a-z]{1,12}$/i.test(text)) return undefined;
  const parts = text.split(',');
  if (text.length > 128 || parts.length < 2 || parts.length > 3) {
    return `it must have coordinates as "lat,lon", or a geohash of at most 12 characters${place(at)}`;
  }
  const [lat, lon, ...more] = parts;
  return position([lon, lat, ...more], at, budget);
};

/** `{lat, lon}`, `[lon, lat]`, "lat,lon" or a geohash. */
export const point: Check = objectOr(
  objectOf('a point', parameters({ lat: latitude, lon: longitude })),
  (value, at, budget) => (Array.isArray(value) ? position : pointText)(value, at, budget),
);

export const points = listOf(point);

/** In metres, by the names that OpenSearch knows. */
const units: ReadonlyMap<string, number> = new Map([
  ...['m', 'meters'].map((name) => [name, 1] as const),
  ...['km', 'kilometers'].map((name) => [name, 1_000] as const),
  ...['cm', 'centimeters'].map((name) => [name, 0.01] as const),
  ...['mm', 'millimeters'].map((name) => [name, 0.001] as const),
  ...['mi', 'miles'].map((name) => [name, 1_609.344] as const),
  ...['NM', 'nmi', 'nauticalmiles'].map((name) => [name, 1_852] as const),
  ...['yd', 'yards'].map((name) => [name, 0.9144] as const),
  ...['ft', 'feet'].map((name) => [name, 0.3048] as const),
  ...['in', 'inch'].map((name) => [name, 0.0254] as const),
]);

/** The longest first: `km` ends with `m`. */
const unitNames = [...units.keys()].toSorted((a, b) => b.length - a.length);

export const unit: Check = (value, at, budget) => {
  const problem = nameText(value, at, budget);
  if (problem !== undefined || units.has(String(value))) return problem;
  return `it must have one of the units [${[...units.keys()].join(', ')}]${place(at)}`;
};

/** `200`, "200km". What has no unit may be in any: see {@link findTooFar}. */
export const distance: Check = (value, at, budget) =>
  literal(value, at, budget) ?? (metresOf(value, 'mm') === undefined ? tooFar(value, at) : undefined);

/** @param ofNone the unit of a distance that names none */
export function findTooFar(value: unknown, ofNone: unknown, at: readonly string[]): string | undefined {
  const { from, to } = ranges.distance;
  const metres = metresOf(value, typeof ofNone === 'string' ? ofNone : 'm');
  return metres !== undefined && metres >= from && metres <= to ? undefined : tooFar(value, at);
}

const tooFar = (value: unknown, at: readonly string[]): string => outside(ranges.distance, value, at);

function metresOf(value: unknown, ofNone: string): number | undefined {
  const text = String(value).slice(0, 128).trim();
  const own = unitNames.find((name) => text.endsWith(name)) ?? '';
  const metres = units.get(own === '' ? ofNone : own);
  const count = readNumber(text.slice(0, text.length - own.length));
  return metres === undefined || count === undefined ? undefined : count * metres;
}

/** A GeoJSON shape that stands there itself. Well-known text is left out: it nests without a bound. */
export function shape(depth: number = maxShapeDepth): Check {
  return (value, at, budget) => {
    if (!isObject(value)) return `it must have a shape as an object${place(at)}`;
    if (depth === 0) return `it has shapes nested too deep${place(at)}`;
    const known = parameters({
      type: nameText,
      coordinates: coordinates(maxCoordinateDepth),
      geometries: listOf(shape(depth - 1)),
      orientation: nameText,
    });
    return objectOf('a shape', known)(value, at, budget);
  };
}
