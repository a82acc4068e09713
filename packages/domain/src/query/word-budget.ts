import { readNumber } from './number-ranges';
import { type Budget, type Check, isObject, pattern, place, type Problem } from './value-checks';

/**
 * Words of all phrases of a query that leave room between them. OpenSearch does not look whether a search was cancelled
 * while it matches those in a document: words times occurrences is what it does then.
 */
export const maxSloppyWords = 64;
export const maxPhraseWords = 1_024;

/**
 * At least as many as the analysers that come with OpenSearch make of a text: letters, digits, each character of a
 * script without spaces or vowels, each symbol, and what stands alone.
 */
const words =
  /[\p{Ll}\p{Lu}\p{Lt}\p{Lm}\p{M}\p{Script=Arabic}\p{Script=Hebrew}]+|\p{Nd}+|[^\s\p{P}]|(?<!\S)\p{P}+(?!\S)/gu;

export const countWords = (text: unknown): number => String(text).match(words)?.length ?? 0;

export interface Phrase {
  readonly text: unknown;
  readonly slop: unknown;
  /** each looks for the whole phrase */
  readonly fields: number;
}

/** Takes a phrase from what the whole query may look for. */
export function takePhrase({ text, slop, fields }: Phrase, at: readonly string[], budget: Budget): Problem {
  const count = countWords(text) * fields;
  budget.phraseWords -= count;
  if (budget.phraseWords < 0) return `it has more than ${maxPhraseWords} words in all phrases${place(at)}`;
  if (slop === undefined || readNumber(slop) === 0) return undefined;
  budget.sloppyWords -= count;
  if (budget.sloppyWords >= 0) return undefined;
  return `it has more than ${maxSloppyWords} words in all phrases with a slop${place(at)}`;
}

/** `{field: text}` or `{field: {query: text, slop: …}}`. @param check for all but the words */
export const phrases =
  (check: Check): Check =>
  (value, at, budget) => {
    const problem = check(value, at, budget);
    if (problem !== undefined || !isObject(value)) return problem;
    for (const [field, body] of Object.entries(value)) {
      const { query: text, slop } = isObject(body) ? body : { query: body, slop: undefined };
      const tooMany = takePhrase({ text: text ?? '', slop, fields: 1 }, [...at, field], budget);
      if (tooMany !== undefined) return tooMany;
    }
    return undefined;
  };

/** The body of a `term`, which becomes an automaton when it takes upper case for lower case. */
export const termBody =
  (check: Check): Check =>
  (value, at, budget) => {
    const problem = check(value, at, budget);
    if (problem !== undefined || !isObject(value)) return problem;
    const { value: term, case_insensitive: isFree } = value;
    const isAutomaton = isFree !== undefined && isFree !== false && isFree !== 'false' && term !== undefined;
    return isAutomaton ? pattern(term, [...at, 'value'], budget) : undefined;
  };
