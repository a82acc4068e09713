import { dateFormat, rangeEnd } from './date-checks';
import { distance, findTooFar, latitude, longitude, point, points, shape, unit } from './geo-checks';
import { boostedField, fuzziness, minimumShouldMatch, numberIn, ranges, rewrite } from './number-ranges';
import {
  type Budget,
  type Check,
  flag,
  isObject,
  listOf,
  literal,
  maxFormatText,
  maxPatternText,
  nameText,
  objectOf,
  objectOr,
  oneOrMore,
  type Parameters,
  parameters,
  pattern,
  perField,
  place,
  type Problem,
} from './value-checks';
import { maxPhraseWords, maxSloppyWords, phrases, takePhrase, termBody } from './word-budget';

/** Queries in queries. */
const maxDepth = 20;
/** `indices.query.bool.max_clause_count` of OpenSearch is 1024 by default. */
const maxClauses = 512;
/** `index.max_terms_count` of OpenSearch is 65,536 by default. */
const maxValues = 20_000;
/** Characters of the texts of `multi_match`, for each field: each word becomes a query of its own in each field. */
const maxFieldTexts = 64 * 1024;
/** The query is kept in the record, and shown in every status. In UTF-16 units of its JSON. */
const maxLength = 256 * 1024;

const common = { boost: numberIn(ranges.boost), _name: literal };
const slop = numberIn(ranges.slop);
const tieBreaker = numberIn(ranges.tieBreaker);
const expansions = numberIn(ranges.expansions);
const children = numberIn(ranges.children);
const withCommon = (more: Readonly<Record<string, Check>>): Parameters => parameters({ ...more, ...common });

/** `{type: {field: value}}`, or `{type: {field: {…}}}` with these parameters. */
const onField = (type: string, value: Check, more: Readonly<Record<string, Check>>): Check =>
  perField(objectOr(objectOf(type, withCommon(more)), value));

const plain = (type: string, more: Readonly<Record<string, Check>>): Check =>
  objectOf(type, withCommon(more));

const analysed = { query: literal, analyzer: nameText, lenient: flag, zero_terms_query: nameText };
const counted = { operator: nameText, minimum_should_match: minimumShouldMatch };
const geo = { ignore_unmapped: flag, validation_method: nameText };
const corners = parameters({
  top_left: point,
  top_right: point,
  bottom_left: point,
  bottom_right: point,
  top: latitude,
  bottom: latitude,
  left: longitude,
  right: longitude,
});

const multiMatchParameters = plain('multi_match', {
  ...analysed,
  ...counted,
  fields: listOf(boostedField),
  type: nameText,
  slop,
  tie_breaker: tieBreaker,
});

const typesWithoutPhrases = ['best_fields', 'most_fields', 'cross_fields', 'bool_prefix'];

/**
 * OpenSearch makes a query of each word for each field before it counts them: 128,000 words in a thousand fields end a
 * node. So the fields are named, and text times fields is bounded over the whole query.
 */
const multiMatch: Check = (value, at, budget) => {
  const problem = multiMatchParameters(value, at, budget);
  if (problem !== undefined || !isObject(value)) return problem;
  const { fields, query: text, type = 'best_fields', slop: room } = value;
  const names: readonly unknown[] = Array.isArray(fields) ? fields : [];
  if (names.length === 0 || names.some((name) => String(name).includes('*'))) {
    return `it must name the fields of [multi_match] one by one${place(at)}`;
  }
  budget.fieldTexts -= names.length * String(text).length;
  if (budget.fieldTexts < 0) {
    return `it looks for more than ${maxFieldTexts} characters in all fields of [multi_match] together${place(at)}`;
  }
  if (typesWithoutPhrases.includes(String(type))) return undefined;
  return takePhrase({ text, slop: room, fields: names.length }, at, budget);
};

const geoDistanceParameters = perField(
  point,
  withCommon({ ...geo, distance, unit, distance_type: nameText }),
);

const geoDistance: Check = (value, at, budget) => {
  const problem = geoDistanceParameters(value, at, budget);
  if (problem !== undefined || !isObject(value) || value['distance'] === undefined) return problem;
  return findTooFar(value['distance'], value['unit'], [...at, 'distance']);
};

/** Queries whose parameters are values alone. */
const leaves: ReadonlyMap<string, Check> = new Map(
  Object.entries({
    match_all: plain('match_all', {}),
    match_none: plain('match_none', {}),
    term: perField(
      objectOr(termBody(objectOf('term', withCommon({ value: literal, case_insensitive: flag }))), literal),
    ),
    terms: perField(listOf(literal), parameters(common)),
    range: onField('range', refuseScalar('range'), {
      gte: rangeEnd,
      gt: rangeEnd,
      lte: rangeEnd,
      lt: rangeEnd,
      from: rangeEnd,
      to: rangeEnd,
      include_lower: flag,
      include_upper: flag,
      format: dateFormat,
      time_zone: nameText,
      relation: nameText,
    }),
    exists: plain('exists', { field: nameText }),
    ids: plain('ids', { values: oneOrMore(literal) }),
    prefix: onField('prefix', pattern, { value: pattern, case_insensitive: flag, rewrite }),
    wildcard: onField('wildcard', pattern, {
      value: pattern,
      wildcard: pattern,
      case_insensitive: flag,
      rewrite,
    }),
    fuzzy: onField('fuzzy', pattern, {
      value: pattern,
      fuzziness,
      prefix_length: numberIn(ranges.prefixLength),
      max_expansions: expansions,
      transpositions: flag,
    }),
    match: onField('match', literal, { ...analysed, ...counted }),
    match_bool_prefix: onField('match_bool_prefix', literal, { ...analysed, ...counted }),
    match_phrase: phrases(onField('match_phrase', literal, { ...analysed, slop })),
    match_phrase_prefix: phrases(
      onField('match_phrase_prefix', literal, { ...analysed, slop, max_expansions: expansions }),
    ),
    multi_match: multiMatch,
    geo_bounding_box: perField(objectOf('geo_bounding_box', corners), withCommon({ ...geo, type: nameText })),
    geo_distance: geoDistance,
    geo_polygon: perField(objectOf('geo_polygon', parameters({ points })), withCommon(geo)),
    geo_shape: perField(
      objectOf('geo_shape', parameters({ shape: shape(), relation: nameText })),
      withCommon({ ignore_unmapped: flag }),
    ),
    parent_id: plain('parent_id', { type: nameText, id: literal, ignore_unmapped: flag }),
  } satisfies Readonly<Record<string, Check>>),
);

function refuseScalar(type: string): Check {
  return (_, at) => `it must have an object for [${type}]${place(at)}`;
}

/** Queries made of queries. @param inner checks one of those */
function compounds(inner: Check): ReadonlyMap<string, Check> {
  return new Map(
    Object.entries({
      bool: plain('bool', {
        must: oneOrMore(inner),
        filter: oneOrMore(inner),
        should: oneOrMore(inner),
        must_not: oneOrMore(inner),
        minimum_should_match: minimumShouldMatch,
        adjust_pure_negative: flag,
      }),
      constant_score: plain('constant_score', { filter: inner }),
      dis_max: plain('dis_max', { queries: listOf(inner), tie_breaker: tieBreaker }),
      boosting: plain('boosting', {
        positive: inner,
        negative: inner,
        negative_boost: numberIn(ranges.boost),
      }),
      nested: plain('nested', {
        path: nameText,
        query: inner,
        score_mode: nameText,
        ignore_unmapped: flag,
      }),
      has_child: plain('has_child', {
        type: nameText,
        query: inner,
        score_mode: nameText,
        min_children: children,
        max_children: children,
        ignore_unmapped: flag,
      }),
      has_parent: plain('has_parent', {
        parent_type: nameText,
        query: inner,
        score: flag,
        ignore_unmapped: flag,
      }),
    } satisfies Readonly<Record<string, Check>>),
  );
}

/** All that a validation query may be made of, in alphabetical order. */
export const permittedQueries: readonly string[] = [
  ...leaves.keys(),
  ...compounds(() => undefined).keys(),
].toSorted();

function query(depth: number): Check {
  return (value, at, budget) => {
    budget.clauses -= 1;
    if (budget.clauses < 0) return `it has more than ${maxClauses} clauses${place(at)}`;
    if (depth > maxDepth) return `it is nested deeper than ${maxDepth} queries${place(at)}`;
    const entries = isObject(value) ? Object.entries(value) : [];
    const [entry, ...others] = entries;
    if (entry === undefined || others.length > 0) {
      return `it must have an object with the name of one query${place(at)}`;
    }
    const [type, body] = entry;
    const check = leaves.get(type) ?? compounds(query(depth + 1)).get(type);
    if (check !== undefined) return check(body, [...at, type], budget);
    return (
      `it must not hold [${type.slice(0, 64)}]${place(at)}; ` +
      `permitted are [${permittedQueries.join(', ')}] with literal values`
    );
  };
}

/**
 * Whether a query may be given to a cluster by somebody who may do less there than the service. What is permitted is
 * listed, query by query and parameter by parameter, with values that stand there themselves. So it reads nothing but
 * the index it is sent to, runs no script, and what it costs follows from its size: numbers that are no values of
 * documents have a range (see `ranges`), and what is multiplied has a budget over the whole query. Left out are:
 *
 * - wrappers and templates (`wrapper`, `template`): what they hold is not seen here;
 * - scripts (`script`, `script_score`, `function_score`, `terms_set`, `intervals` with a filter);
 * - look-ups, which read other indices with the service's own rights (`terms` with an index, `geo_shape` with an
 *   `indexed_shape`, `more_like_this`, `percolate`, `neural`, `knn` by a model);
 * - languages of their own, whose parsers go as deep as the text says (`query_string`, `simple_query_string`, `regexp`,
 *   well-known text of shapes), and `span_*` and `intervals`, which have other ways to say it;
 * - scores (`rank_feature`, `distance_feature`, …): a count has none.
 *
 * @param value nested at most as deep as bodies may be; an empty object is no query, and fine
 * @returns the first thing that is not permitted, and what is
 */
export function findForbiddenQuery(value: Readonly<Record<string, unknown>>): Problem {
  if (Object.keys(value).length === 0) return undefined;
  if (JSON.stringify(value).length > maxLength) {
    return `it is longer than ${maxLength} characters`;
  }
  const budget: Budget = {
    clauses: maxClauses,
    values: maxValues,
    fieldTexts: maxFieldTexts,
    patternText: maxPatternText,
    phraseWords: maxPhraseWords,
    sloppyWords: maxSloppyWords,
    formatText: maxFormatText,
  };
  return query(1)(value, [], budget);
}
