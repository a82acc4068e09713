import { cityMappings, createRandom, listCities, type LoadedDocument } from '@aosc/testkit';
import { type Dataset, listDocuments, listWords, makeOrder, makeText, mappings } from '../dataset';

/** The demo's. */
export const cities: Dataset = { mappings: cityMappings, list: listCities };

/** A document of `largeOrders` has so many bytes, or a few more. */
export const largeBytes = 100_000;
const largeSeed = 100;
const updateSeed = 601;
const poolLength = 4 * largeBytes;
/** Multiples of it, taken modulo 1, lie evenly spread in any order. */
const goldenRatio = 0.618_033_988_749_895;

/** Orders with a long text that is searched in. */
export const largeOrders: Dataset = {
  mappings: { ...mappings, properties: { ...mappings.properties, body: { type: 'text' } } },
  list: listLargeOrders,
};

function* listLargeOrders(count: number): Generator<LoadedDocument> {
  const random = createRandom(largeSeed);
  // Word by word the load would take longer than what is measured.
  const pool = makeText(random, listWords(), poolLength);
  for (const { id, source } of listDocuments(count)) {
    const length = largeBytes - source.length;
    const from = random.below(poolLength - length);
    yield { id, source: `${source.slice(0, -1)},"body":"${pool.slice(from, from + length)}"}` };
  }
}

/**
 * Every order of the first `count` once more with another content, neighbours far from each other: what replaces
 * documents that lie side by side leaves deleted ones in all segments.
 * @param pass each one has its own order and its own contents
 */
export function* listUpdatedOrders(count: number, pass: number): Generator<LoadedDocument> {
  const random = createRandom(updateSeed + pass);
  const words = listWords();
  const step = findStep(count, pass);
  for (let n = 0; n < count; n += 1) yield makeOrder((n * step) % count, random, words);
}

/** A step that leads to every number below `count` before it comes back to the first. */
function findStep(count: number, pass: number): number {
  let step = Math.max(1, Math.floor(((goldenRatio * (pass + 1)) % 1) * count));
  while (greatestDivisor(step, count) !== 1) step += 1;
  return step;
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}
