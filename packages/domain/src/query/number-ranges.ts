import { type Check, literal, place } from './value-checks';

export interface Range {
  /** in words, with its article */
  readonly what: string;
  readonly from: number;
  readonly to: number;
}

const integer = 2 ** 31 - 1;

/**
 * Every number of a permitted query that is no value of a document. OpenSearch does work in proportion to some of them
 * (it cuts a line at each half turn around the earth), so that a short text would cost without bound. All have a range,
 * so that none has to be known for that first.
 */
export const ranges = {
  /** once around in each direction: OpenSearch takes 190 for -170 */
  longitude: { what: 'a longitude', from: -360, to: 360 },
  latitude: { what: 'a latitude', from: -90, to: 90 },
  /** the third number of a position, in metres */
  altitude: { what: 'an altitude', from: -100_000, to: 100_000 },
  /** once around the earth */
  distance: { what: 'a distance in metres', from: 0, to: 40_100_000 },
  slop: { what: 'a slop', from: 0, to: 100 },
  /** what OpenSearch knows */
  fuzziness: { what: 'AUTO or a fuzziness', from: 0, to: 2 },
  prefixLength: { what: 'a prefix_length', from: 0, to: 256 },
  /** words that one becomes; what OpenSearch takes where nothing is said */
  expansions: { what: 'max_expansions', from: 1, to: 50 },
  /** of `top_terms_N` */
  topTerms: { what: 'a number of top terms', from: 1, to: 1_024 },
  boost: { what: 'a boost', from: 0, to: 1_000_000 },
  tieBreaker: { what: 'a tie_breaker', from: 0, to: 1 },
  minimumShouldMatch: { what: 'a minimum_should_match', from: -1_024, to: 1_024 },
  /** compared with a count, which OpenSearch keeps in 32 bits: all of them mean "no limit" to somebody */
  children: { what: 'a number of children', from: 0, to: integer },
} as const satisfies Readonly<Record<string, Range>>;

const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** OpenSearch reads numbers from texts as well. @returns undefined when it is none, or not written plainly */
export function readNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value.length > 64) return undefined;
  const text = value.trim();
  return decimal.test(text) ? Number(text) : undefined;
}

/** @param shown what stands there */
export function outside(range: Range, shown: unknown, at: readonly string[]): string {
  const text = JSON.stringify(shown).slice(0, 64);
  return `it has ${text} where ${range.what} from ${range.from} to ${range.to} is permitted${place(at)}`;
}

const isIn = (number: number | undefined, { from, to }: Range): boolean =>
  number !== undefined && number >= from && number <= to;

/** A number in this range, also as a text. */
export const numberIn =
  (range: Range): Check =>
  (value, at, budget) =>
    literal(value, at, budget) ?? (isIn(readNumber(value), range) ? undefined : outside(range, value, at));

/** `AUTO`, `AUTO:3,6`, or a number. */
export const fuzziness: Check = (value, at, budget) =>
  typeof value === 'string' && /^AUTO(?::\d{1,3},\d{1,3})?$/i.test(value)
    ? literal(value, at, budget)
    : numberIn(ranges.fuzziness)(value, at, budget);

/** `3`, `-25%`, `2<-25% 9<-3`: at most eight of them. */
export const minimumShouldMatch: Check = (value, at, budget) => {
  const range = ranges.minimumShouldMatch;
  const problem = literal(value, at, budget);
  if (problem !== undefined || typeof value === 'number')
    return problem ?? numberIn(range)(value, at, budget);
  const text = String(value).trim();
  const parts = /^[-+\d%<\s]{1,128}$/.test(text) ? text.split(/\s+/) : [];
  const isPart = (part: string): boolean => /^(?:[-+]?\d+<)?[-+]?\d+%?$/.test(part);
  const numbers = (text.match(/[-+]?\d+/g) ?? []).map(Number);
  const isRight = parts.length > 0 && parts.length <= 8 && parts.every(isPart);
  return isRight && numbers.every((number) => isIn(number, range)) ? undefined : outside(range, value, at);
};

/** `constant_score` and the like, or `top_terms_N`, which keeps the N best. */
export const rewrite: Check = (value, at, budget) => {
  const problem = literal(value, at, budget);
  if (problem !== undefined) return problem;
  const [, name, count] = /^([a-z_]{1,64}?)(?:_(\d+))?$/.exec(String(value)) ?? [];
  if (name === undefined) return `it must have the name of a rewrite${place(at)}`;
  return count === undefined || isIn(Number(count), ranges.topTerms)
    ? undefined
    : outside(ranges.topTerms, value, at);
};

/** The name of a field, perhaps with its boost: `title^2`. */
export const boostedField: Check = (value, at, budget) => {
  const problem = literal(value, at, budget);
  if (problem !== undefined) return problem;
  if (typeof value !== 'string') return `it must have a text${place(at)}`;
  const [, boost] = /\^([^^]*)$/.exec(value) ?? [];
  return boost === undefined || isIn(readNumber(boost), ranges.boost)
    ? undefined
    : outside(ranges.boost, value, at);
};
