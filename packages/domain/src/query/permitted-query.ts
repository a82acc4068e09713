import { isObject, shorten } from '@aosc/contract';

/** Queries in queries. */
const maxDepth = 20;
/** `indices.query.bool.max_clause_count` of OpenSearch is 1024 by default. */
const maxClauses = 512;
/** `index.max_terms_count` of OpenSearch is 65,536 by default. */
const maxValues = 20_000;
/** In UTF-16 units. */
const maxTextLength = 1_024;
/** Characters of all prefixes together: each becomes an automaton. */
const maxPrefixText = 1_024;
const maxBoost = 1_000_000;

/** What is wrong; undefined when nothing is. */
type Problem = string | undefined;

/** What the rest of the query may still use up. */
interface Budget {
  clauses: number;
  values: number;
  prefixText: number;
}

/** @param at the way to the value, for the reason */
type Check = (value: unknown, at: readonly string[], budget: Budget) => Problem;

/** @returns the first problem of many values */
function findFirst<T>(values: Iterable<T>, check: (value: T) => Problem): Problem {
  for (const value of values) {
    const problem = check(value);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const place = (at: readonly string[]): string =>
  at.length === 0 ? '' : ` at [${shorten(at.join('.'), 200)}]`;

/**
 * A number this close to zero, as Java's `BigDecimal` reads it: OpenSearch divides by that power of ten for an
 * `unsigned_long`, and ten million digits take ten seconds.
 */
const tinyNumber = /^[+-]?[\p{Nd}.]+e-\p{Nd}{4,}$/iu;

/** A text, number or boolean as a bare value. */
const literal: Check = (value, at, budget) => {
  budget.values -= 1;
  if (budget.values < 0) return `it has more than ${maxValues} values${place(at)}`;
  if (typeof value === 'number' || typeof value === 'boolean') return undefined;
  if (typeof value !== 'string') return `it must have a text, a number or a boolean${place(at)}`;
  if (value.length > maxTextLength) {
    return `it has a text of more than ${maxTextLength} characters${place(at)}`;
  }
  return tinyNumber.test(value) ? `it has a number with an exponent below -999${place(at)}` : undefined;
};

const text: Check = (value, at, budget) =>
  typeof value === 'string' ? literal(value, at, budget) : `it must have a text${place(at)}`;

/** A number from 0. */
const upTo =
  (most: number, what: string, isRight: (value: unknown) => boolean = Number.isFinite): Check =>
  (value, at) =>
    isRight(value) && Number(value) >= 0 && Number(value) <= most
      ? undefined
      : `it must have a ${what} from 0 to ${most}${place(at)}`;
const boost = upTo(maxBoost, 'boost');

const prefix: Check = (value, at, budget) => {
  const problem = text(value, at, budget);
  if (problem !== undefined) return problem;
  budget.prefixText -= String(value).length;
  return budget.prefixText < 0
    ? `it has more than ${maxPrefixText} characters in all prefixes${place(at)}`
    : undefined;
};

/** `now-1d/d`, `2026-11-24||+1M`: at most three sums of three digits. */
const reckoned = /^(?:now|[^|]{1,64}\|\|)(?:[+-]\d{1,3}[yMwdhHms]){0,3}(?:\/[yMwdhHms])?$/;

/** One end of a range: also a date expression, or `null` for none. */
const rangeEnd: Check = (value, at, budget) => {
  if (value === null) return undefined;
  const problem = literal(value, at, budget);
  if (problem !== undefined || typeof value !== 'string') return problem;
  const isReckoned = value.startsWith('now') || value.includes('||');
  return isReckoned && !reckoned.test(value)
    ? `it must reckon with dates as in [now-1d/d], up to three times with up to three digits${place(at)}`
    : undefined;
};

const listOf =
  (check: Check): Check =>
  (value, at, budget) =>
    Array.isArray(value)
      ? findFirst(value.entries(), ([index, item]) => check(item, [...at, String(index)], budget))
      : `it must have a list${place(at)}`;

const oneOrMore =
  (check: Check): Check =>
  (value, at, budget) =>
    (Array.isArray(value) ? listOf(check) : check)(value, at, budget);

/** An object that has only these parameters. */
const objectOf = (parameters: Readonly<Record<string, Check>>): Check => {
  const known = new Map(Object.entries({ ...parameters, boost, _name: text }));
  return (value, at, budget) => {
    if (!isObject(value)) return `it must have an object${place(at)}`;
    return findFirst(Object.entries(value), ([name, inner]) => {
      const check = known.get(name);
      if (check !== undefined) return check(inner, [...at, name], budget);
      return `it has [${name.slice(0, 64)}]${place(at)}; permitted are [${[...known.keys()].join(', ')}]`;
    });
  };
};

/** `{field: value}` with one field, whose name is free. @param besides parameters beside the field */
const onField =
  (check: Check, besides: Readonly<Record<string, Check>> = {}): Check =>
  (value, at, budget) => {
    const others = new Map(Object.entries(besides));
    const fields = isObject(value) ? Object.keys(value).filter((name) => !others.has(name)) : [];
    if (!isObject(value) || fields.length !== 1) return `it must have an object with one field${place(at)}`;
    return findFirst(
      Object.entries(value),
      ([name, inner]) => text(name, at, budget) ?? (others.get(name) ?? check)(inner, [...at, name], budget),
    );
  };

/** `value`, or `{value: …}`. */
const valueOr =
  (check: Check): Check =>
  (value, at, budget) =>
    (isObject(value) ? objectOf({ value: check }) : check)(value, at, budget);

/**
 * All that the validation query of a limited credential may consist of.
 * @param inner checks a query in a query
 */
const queries = (inner: Check): ReadonlyMap<string, Check> =>
  new Map(
    Object.entries({
      bool: objectOf({
        must: oneOrMore(inner),
        filter: oneOrMore(inner),
        should: oneOrMore(inner),
        must_not: oneOrMore(inner),
        minimum_should_match: upTo(maxClauses, 'number', Number.isInteger),
      }),
      exists: objectOf({ field: text }),
      ids: objectOf({ values: oneOrMore(literal) }),
      match_all: objectOf({}),
      prefix: onField(valueOr(prefix)),
      range: onField(objectOf({ gt: rangeEnd, gte: rangeEnd, lt: rangeEnd, lte: rangeEnd })),
      term: onField(valueOr(literal)),
      terms: onField(listOf(literal), { boost, _name: text }),
    }),
  );

export const permittedQueries: readonly string[] = [...queries(() => undefined).keys()];

function query(depth: number): Check {
  return (value, at, budget) => {
    budget.clauses -= 1;
    if (budget.clauses < 0) return `it has more than ${maxClauses} clauses${place(at)}`;
    if (depth > maxDepth) return `it is nested deeper than ${maxDepth} queries${place(at)}`;
    const [entry, ...others] = isObject(value) ? Object.entries(value) : [];
    if (entry === undefined || others.length > 0) {
      return `it must have an object with the name of one query${place(at)}`;
    }
    const [type, body] = entry;
    const check = queries(query(depth + 1)).get(type);
    if (check !== undefined) return check(body, [...at, type], budget);
    return (
      `it must not hold [${type.slice(0, 64)}]${place(at)}: a credential that is limited to some indices may use ` +
      `[${permittedQueries.join(', ')}]; one without limits may use every query`
    );
  };
}

/**
 * Whether a credential that is limited to some indices may pass a query to the cluster, where it runs with the rights
 * of the service. The list is short: nothing in it runs code, reads another index or has a language of its own, and its
 * cost follows from its length. OpenSearch checks often enough whether such a search was cancelled.
 * @param value nested at most as deep as bodies may be; an empty object is no query, and permitted
 * @returns the first thing that is not permitted, and what is permitted
 */
export function findForbiddenQuery(value: Readonly<Record<string, unknown>>): Problem {
  if (Object.keys(value).length === 0) return undefined;
  return query(1)(value, [], { clauses: maxClauses, values: maxValues, prefixText: maxPrefixText });
}
