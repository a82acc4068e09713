import { type Check, literal, maxFormatText, nameText, place } from './value-checks';

/** What the names of OpenSearch's formats are made of: `strict_date_optional_time`, `epoch_millis`, `iso8601`. */
const nameWords = new Set(
  (
    'basic date day epoch fraction hour iso8601 lenient millis minute month nanos no optional ordinal rfc3339 second ' +
    'strict t time week weekyear year'
  ).split(' '),
);
/** Formats between `||`. */
const maxParts = 4;
/** Left out are names of time zones (`z`, `v`, `V`, `O`) and the like: each builds a tree of all zones with every parse. */
const patternLetters = /^[ADEGHKLMNQSWXYZacdehkmnqsuwxy]*$/;
/** No field is longer, and three of the zone's letter are a number while four are a text. */
const longestRun = /(?<run>[a-zA-Z])\k<run>{9}|Z{4}/;

/**
 * The name of a format, or a pattern of those letters that stand for parts of a date. OpenSearch makes a parser of it
 * for each clause, on each shard, before a search can be cancelled.
 */
export const dateFormat: Check = (value, at, budget) => {
  const problem = nameText(value, at, budget);
  if (problem !== undefined) return problem;
  const text = String(value);
  budget.formatText -= text.length;
  if (budget.formatText < 0) {
    return `it has more than ${maxFormatText} characters in all formats of dates${place(at)}`;
  }
  const parts = text.split('||');
  const isFormat = (part: string): boolean => isFormatName(part) || isDatePattern(part);
  if (parts.length <= maxParts && parts.every(isFormat)) return undefined;
  return (
    `it has ${JSON.stringify(text.slice(0, 64))} where up to ${maxParts} formats of dates are permitted, names or ` +
    `patterns without names of time zones${place(at)}`
  );
};

/** Also in its older spelling: `strictDateOptionalTime`. */
function isFormatName(part: string): boolean {
  const words = part
    .replace(/[a-z](?=[A-Z])/g, '$&_')
    .toLowerCase()
    .split('_');
  return words.every((word) => nameWords.has(word));
}

function isDatePattern(part: string): boolean {
  const letters = part.replace(/'[^']*'/g, ' ').replace(/[^a-zA-Z]+/g, ' ');
  return patternLetters.test(letters.replaceAll(' ', '')) && !longestRun.test(letters);
}

/** Further away than that no date is looked for; OpenSearch answers 500 where the year gets too large. */
const maxYears = 10_000;
const perYear: ReadonlyMap<string, number> = new Map([
  ['y', 1],
  ['M', 12],
  ['w', 52],
  ['d', 365],
  ['h', 8_760],
  ['H', 8_760],
  ['m', 525_600],
  ['s', 31_536_000],
]);

/** One end of a range: also a date that is reckoned with (`now-1d/d`, `2026-11-24||+1M`), or `null` for none. */
export const rangeEnd: Check = (value, at, budget) => {
  if (value === null) return undefined;
  const problem = literal(value, at, budget);
  if (problem !== undefined || typeof value !== 'string') return problem;
  const sum = reckonedPart(value);
  if (sum === undefined) return undefined;
  // OpenSearch reads the digits of all scripts.
  if (/[+-]\p{Nd}*[^\P{Nd}0-9]/u.test(sum)) return `it reckons with digits other than 0 to 9${place(at)}`;
  let years = 0;
  for (const [, count, unit = ''] of sum.matchAll(/[+-](\d+)([yMwdhHms])/g)) {
    years += Number(count) / (perYear.get(unit) ?? 1);
  }
  if (years <= maxYears) return undefined;
  return `it reckons with more than ${maxYears} years in ${JSON.stringify(value.slice(0, 64))}${place(at)}`;
};

/** What stands behind `now`, or behind the `||` of a date. */
function reckonedPart(text: string): string | undefined {
  if (text.startsWith('now')) return text.slice('now'.length);
  const end = text.indexOf('||');
  return end === -1 ? undefined : text.slice(end + '||'.length);
}
