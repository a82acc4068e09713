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
  placeText,
} from './value-checks';

/** Lists in lists: a multi-polygon has four levels of them. */
const maxCoordinateDepth = 5;
const maxShapeDepth = 3;

const coordinates =
  (depth: number): Check =>
  (value, at, budget) => {
    if (!Array.isArray(value)) {
      return typeof value === 'number' ? literal(value, at, budget) : `it must have numbers${place(at)}`;
    }
    if (depth === 0) return `it has coordinates nested too deep${place(at)}`;
    return listOf(coordinates(depth - 1))(value, at, budget);
  };

/** `{lat, lon}`, `[lon, lat]`, "lat,lon" or a geohash. */
export const point: Check = objectOr(
  objectOf('a point', parameters({ lat: placeText, lon: placeText })),
  (value, at, budget) =>
    Array.isArray(value) ? coordinates(1)(value, at, budget) : placeText(value, at, budget),
);

export const points = listOf(point);

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
