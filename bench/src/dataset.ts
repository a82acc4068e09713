import { createRandom, type LoadedDocument, type Random } from '@aosc/testkit';

/** What an index is made for and filled with. */
export interface Dataset {
  readonly mappings: Readonly<Record<string, unknown>>;
  /** the first `count` documents, the same ones on every machine and in every run */
  readonly list: (count: number) => Iterable<LoadedDocument>;
}

/** What an order system would map: words to search in, keywords to filter by, numbers, a date. */
export const mappings = {
  dynamic: 'strict',
  properties: {
    order: { type: 'keyword' },
    customer: { type: 'keyword' },
    country: { type: 'keyword' },
    status: { type: 'keyword' },
    placed_at: { type: 'date' },
    items: { type: 'integer' },
    total: { type: 'double' },
    paid: { type: 'boolean' },
    tags: { type: 'keyword' },
    subject: { type: 'text' },
    note: { type: 'text' },
  },
} as const;

export const countries = ['de', 'fr', 'in', 'us', 'br', 'jp', 'ng', 'se'] as const;
const states = ['open', 'packed', 'sent', 'returned', 'closed'] as const;
const syllables = [
  'ba',
  'ce',
  'di',
  'fo',
  'gu',
  'ha',
  'ki',
  'lo',
  'mu',
  'ne',
  'pa',
  're',
  'si',
  'to',
] as const;
const noteLength = 300;
const datasetSeed = 600;
export const customers = 100_000;
/** `placed_at` of the first document; each one behind it is a second later. */
export const firstOrderMillis = Date.UTC(2024, 0, 1);

/** `count` documents of about 600 bytes, the same ones on every machine and in every run. */
export function* listDocuments(count: number): Generator<LoadedDocument> {
  const random = createRandom(datasetSeed);
  const words = makeWords(random);
  for (let number = 0; number < count; number += 1) yield makeOrder(number, random, words);
}

export const orders: Dataset = { mappings, list: listDocuments };

/** The words that subjects and notes are made of. */
export function listWords(): readonly string[] {
  return makeWords(createRandom(datasetSeed));
}

function makeWords(random: Random): readonly string[] {
  return Array.from({ length: 2000 }, () => makeWord(random));
}

/** An order: its id and its time follow from `number`, all else from the random numbers. */
export function makeOrder(number: number, random: Random, words: readonly string[]): LoadedDocument {
  const id = `order-${String(number).padStart(9, '0')}`;
  const source = {
    order: id,
    customer: `customer-${random.below(customers)}`,
    country: random.pick(countries),
    status: random.pick(states),
    placed_at: new Date(firstOrderMillis + number * 1000).toISOString(),
    items: 1 + random.below(40),
    total: random.below(1_000_000) / 100,
    paid: random.next() < 0.8,
    tags: [random.pick(states), random.pick(countries), `batch-${random.below(500)}`],
    subject: makeText(random, words, 60),
    note: makeText(random, words, noteLength),
  };
  return { id, source: JSON.stringify(source) };
}

/** Words up to `length` characters or a few more. */
export function makeText(random: Random, words: readonly string[], length: number): string {
  let text = '';
  while (text.length < length) text += `${text === '' ? '' : ' '}${words[random.below(words.length)] ?? ''}`;
  return text;
}

function makeWord(random: Random): string {
  return Array.from({ length: 2 + random.below(3) }, () => random.pick(syllables)).join('');
}
