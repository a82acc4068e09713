/** What was found: undefined when nothing is wrong. */
export type Problem = string | undefined;

/**
 * Checks one value of a query.
 * @param at the way to it, for the reason
 * @param budget what the whole query may still use up
 */
export type Check = (value: unknown, at: readonly string[], budget: Budget) => Problem;

/** Counted down over the whole query. */
export interface Budget {
  clauses: number;
  values: number;
  /** characters of texts, for each field that they are looked for in */
  fieldTexts: number;
  /** characters of texts that become automata */
  patternText: number;
  /** words of phrases */
  phraseWords: number;
  /** words of phrases that leave room between them */
  sloppyWords: number;
  /** characters of formats of dates */
  formatText: number;
}

/** Longest text in a query, in UTF-16 units. Analysed, each may become a clause of its own. */
const maxTextLength = 1_024;
/** Longest text that becomes an automaton: prefixes, wildcards, fuzzy terms. */
const maxPatternLength = 256;
/** Characters of all of them in one query. */
export const maxPatternText = 1_024;
/** Characters of all formats of dates in one query. */
export const maxFormatText = 2_048;
/** Each makes the automaton of the pattern a multiple of what it was. */
const maxWildcards = 4;

export const place = (at: readonly string[]): string => {
  const path = at.join('.');
  return path === '' ? '' : ` at [${path.length > 200 ? `${path.slice(0, 200)}…` : path}]`;
};

/**
 * A number this close to zero, as Java's `BigDecimal` reads it. OpenSearch takes it for an `unsigned_long` and divides by
 * that power of ten: ten million digits take ten seconds.
 */
const tinyNumber = /^[+-]?[\p{Nd}.]+e-\p{Nd}{4,}$/iu;

/** A text, a number or a boolean as it stands there. */
export const literal: Check = (value, at, budget) => {
  budget.values -= 1;
  if (budget.values < 0) return `it has too many values${place(at)}`;
  if (typeof value === 'number' || typeof value === 'boolean') return undefined;
  if (typeof value !== 'string') {
    return `it must have a text, a number or a boolean${place(at)}`;
  }
  if (value.length > maxTextLength) {
    return `it has a text of more than ${maxTextLength} characters${place(at)}`;
  }
  if (!tinyNumber.test(value)) return undefined;
  return `it has a number with an exponent below -999${place(at)}`;
};

/** A text that OpenSearch makes an automaton of. */
export const pattern: Check = (value, at, budget) => {
  const problem = literal(value, at, budget);
  if (problem !== undefined) return problem;
  const text = String(value);
  if (text.length > maxPatternLength) {
    return `it has a pattern of more than ${maxPatternLength} characters${place(at)}`;
  }
  if ((text.match(/[*?]/g) ?? []).length > maxWildcards) {
    return `it has a pattern with more than ${maxWildcards} wildcards${place(at)}`;
  }
  budget.patternText -= text.length;
  if (budget.patternText >= 0) return undefined;
  return `it has more than ${maxPatternText} characters in all patterns${place(at)}`;
};

/** Yes or no, also as a text. */
export const flag: Check = (value, at, budget) =>
  literal(value, at, budget) ??
  (['true', 'false'].includes(String(value)) ? undefined : `it must have true or false${place(at)}`);

/** A literal text that names something: a field, a path, a relation. */
export const nameText: Check = (value, at, budget) =>
  typeof value === 'string' ? literal(value, at, budget) : `it must have a text${place(at)}`;

/** The value itself, or a list of such. */
export const oneOrMore =
  (check: Check): Check =>
  (value, at, budget) =>
    Array.isArray(value) ? listOf(check)(value, at, budget) : check(value, at, budget);

export const listOf =
  (check: Check): Check =>
  (value, at, budget) => {
    if (!Array.isArray(value)) return `it must have a list${place(at)}`;
    for (const [index, item] of value.entries()) {
      const problem = check(item, [...at, String(index)], budget);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };

export type Parameters = ReadonlyMap<string, Check>;

export const parameters = (entries: Readonly<Record<string, Check>>): Parameters =>
  new Map(Object.entries(entries));

/** An object with no parameter but these. @param what whose parameters they are */
export const objectOf =
  (what: string, known: Parameters): Check =>
  (value, at, budget) => {
    if (!isObject(value)) return `it must have an object${place(at)}`;
    for (const [name, inner] of Object.entries(value)) {
      const check = known.get(name);
      if (check === undefined) {
        return (
          `it has [${name.slice(0, 64)}] for [${what}]${place(at)}; ` +
          `permitted are [${[...known.keys()].join(', ')}]`
        );
      }
      const problem = check(inner, [...at, name], budget);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };

/** `{field: value}`: the name of the field is free, its value is not. */
export const perField =
  (check: Check, besides: Parameters = new Map()): Check =>
  (value, at, budget) => {
    if (!isObject(value)) return `it must have an object with a field${place(at)}`;
    for (const [name, inner] of Object.entries(value)) {
      const fieldProblem = literal(name, at, budget);
      if (fieldProblem !== undefined) return fieldProblem;
      const problem = (besides.get(name) ?? check)(inner, [...at, name], budget);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };

/** The first check for objects, the second for everything else. */
export const objectOr =
  (ofObject: Check, otherwise: Check): Check =>
  (value, at, budget) =>
    isObject(value) ? ofObject(value, at, budget) : otherwise(value, at, budget);

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
