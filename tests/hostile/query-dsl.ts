import type { Grower } from './grower';

type Body = (grower: Grower) => unknown;
type Maker = (grower: Grower) => unknown;

const value: Maker = (g) => g.value();
const text: Maker = (g) => g.text();
const field: Maker = (g) => g.field();
const query: Maker = (g) => g.query();
const queries: Maker = (g) => g.list(g.query, 3);
const script: Maker = (g) => g.script();
const letterOf = (g: Grower, letters: string): string => letters.charAt(g.random.below(letters.length));
/** Times that are reckoned with, and patterns of them, of all letters. */
const when: Maker = (g) =>
  `${g.random.pick(['now', '2020||', '||'])}${g.random.pick(['+', '-'])}${
    10 ** g.random.below(12)
  }${letterOf(g, 'yMwdhHms')}`;
const format: Maker = (g) =>
  `[${letterOf(g, 'zvVOBGyMdEaHXZ')}]`.repeat(1 + g.random.below(g.chance(0.1) ? 300 : 5));
const flag: Maker = (g) => g.chance(0.5);
const fields: Maker = (g) => g.list(g.field);
const point: Maker = (g) => g.point();

/** Each parameter by chance, those with `!` always. */
const some =
  (makers: Readonly<Record<string, Maker>>): ((grower: Grower) => Readonly<Record<string, unknown>>) =>
  (g) =>
    Object.fromEntries(
      [...Object.entries(makers), ['boost', value] as const, ['_name', text] as const]
        .filter(([name]) => name.startsWith('!') || g.chance(0.25))
        .map(([name, make]) => [name.replace('!', ''), make(g)]),
    );

/** `{field: …}`, in its short or its long form. */
const onField =
  (
    short: Maker,
    makers: Readonly<Record<string, Maker>>,
    besides: Readonly<Record<string, Maker>> = {},
  ): Body =>
  (g) => ({
    [g.field()]: g.chance(0.4) ? short(g) : some(makers)(g),
    ...(Object.keys(besides).length > 0 && some(besides)(g)),
  });

const either =
  (...makers: readonly [Maker, ...Maker[]]): Maker =>
  (g) =>
    g.random.pick(makers)(g);

const analysed = {
  '!query': value,
  analyzer: text,
  operator: text,
  minimum_should_match: value,
  fuzziness: value,
  prefix_length: value,
  max_expansions: value,
  lenient: flag,
  zero_terms_query: text,
  fuzzy_rewrite: text,
  slop: value,
  cutoff_frequency: value,
  auto_generate_synonyms_phrase_query: flag,
};
const languages = {
  '!query': either(text, (g) => `${g.field()}:${g.text()}`),
  fields,
  default_field: field,
  default_operator: text,
  allow_leading_wildcard: flag,
  analyze_wildcard: flag,
  max_determinized_states: value,
  flags: text,
  rewrite: text,
  type: text,
  lenient: flag,
};
const joined = { ignore_unmapped: flag, score_mode: text, inner_hits: (g: Grower) => g.json() };
const geo = { ignore_unmapped: flag, validation_method: text, distance_type: text };
const interval: Maker = (g) =>
  g.random.pick<() => unknown>([
    () => ({
      match: some({ '!query': text, max_gaps: value, filter: either((h) => ({ script: script(h) }), query) })(
        g,
      ),
    }),
    () => ({ any_of: { intervals: g.list(() => ({ wildcard: { pattern: g.text() } }), 2) } }),
    () => ({ prefix: { prefix: g.text() } }),
    () => ({ regexp: { pattern: g.text() } }),
    () => ({ fuzzy: { term: g.text() } }),
  ])();
const span: Maker = (g) => ({
  [g.random.pick(['span_term', 'span_near', 'span_or', 'span_multi', 'span_first'])]: g.chance(0.5)
    ? { [g.field()]: g.value() }
    : { clauses: [] },
});
const like: Maker = (g) =>
  g.list(
    () =>
      g.random.pick<() => unknown>([
        () => g.text(),
        () => ({ _index: g.name(), _id: '1' }),
        () => ({ _index: g.name(), doc: g.json() }),
      ])(),
    2,
  );
const shaped: Maker = either(
  (g) => ({ shape: g.shape(), relation: g.text() }),
  (g) => ({ indexed_shape: g.lookup(), relation: 'within' }),
);
const vector: Maker = (g) => g.list(() => g.random.next(), 3);

/** The body of each query of OpenSearch's DSL, those of its plugins and of older versions among them. */
export const bodies: ReadonlyMap<string, Body> = new Map<string, Body>(
  Object.entries({
    match_all: some({}),
    match_none: some({}),
    term: onField(value, { '!value': value, case_insensitive: flag }),
    terms: either(
      (g) => ({ [g.field()]: g.list(g.value, 6) }),
      (g) => ({ [g.field()]: g.lookup() }),
      (g) => ({ [g.field()]: [g.text()], value_type: 'bitmap' }),
    ),
    terms_set: onField(value, {
      '!terms': fields,
      minimum_should_match_script: script,
      minimum_should_match_field: field,
    }),
    range: onField(value, {
      gte: (g) => (g.chance(0.3) ? when(g) : value(g)),
      gt: value,
      lte: value,
      lt: value,
      from: value,
      to: value,
      include_lower: flag,
      include_upper: flag,
      format: (g) => (g.chance(0.7) ? format(g) : text(g)),
      time_zone: text,
      relation: text,
    }),
    exists: some({ '!field': field }),
    ids: some({ '!values': (g) => g.list(g.value), type: text }),
    prefix: onField(value, { '!value': value, case_insensitive: flag, rewrite: text }),
    wildcard: onField(value, { '!value': value, wildcard: value, case_insensitive: flag, rewrite: text }),
    regexp: onField(value, {
      '!value': value,
      flags: text,
      max_determinized_states: value,
      case_insensitive: flag,
    }),
    fuzzy: onField(value, {
      '!value': value,
      fuzziness: value,
      prefix_length: value,
      max_expansions: value,
      transpositions: flag,
    }),
    match: onField(value, analysed),
    match_bool_prefix: onField(value, analysed),
    match_phrase: onField(value, analysed),
    match_phrase_prefix: onField(value, analysed),
    multi_match: some({ ...analysed, '!fields': fields, type: text, tie_breaker: value }),
    combined_fields: some({ ...analysed, '!fields': fields }),
    common: onField(value, analysed),
    query_string: some(languages),
    simple_query_string: some(languages),
    intervals: onField(interval, {}),
    bool: some({
      must: either(query, queries),
      filter: either(query, queries),
      should: either(query, queries),
      must_not: either(query, queries),
      minimum_should_match: value,
      adjust_pure_negative: flag,
    }),
    boosting: some({ '!positive': query, '!negative': query, '!negative_boost': value }),
    constant_score: some({ '!filter': query }),
    dis_max: some({ '!queries': queries, tie_breaker: value }),
    hybrid: some({ '!queries': queries, filter: query, pagination_depth: value }),
    function_score: some({
      query,
      functions: (g) =>
        g.list(() => ({ filter: g.query(), script_score: { script: g.script() }, weight: g.value() }), 2),
      script_score: (g) => ({ script: g.script() }),
      random_score: (g) => ({ seed: g.value(), field: g.field() }),
      field_value_factor: (g) => ({ field: g.field(), modifier: g.text() }),
      min_score: value,
    }),
    nested: some({ '!path': field, '!query': query, ...joined }),
    has_child: some({ '!type': text, '!query': query, min_children: value, max_children: value, ...joined }),
    has_parent: some({ '!parent_type': text, '!query': query, score: flag, ...joined }),
    parent_id: some({ '!type': text, '!id': value, ignore_unmapped: flag }),
    geo_bounding_box: (g) => ({
      [g.field()]: g.chance(0.8)
        ? { top_left: g.point(), bottom_right: g.point() }
        : { wkt: 'BBOX (1, 2, 4, 3)' },
      ...some(geo)(g),
    }),
    geo_distance: (g) => ({
      [g.field()]: g.point(),
      distance: g.value(),
      ...some({ ...geo, unit: text })(g),
    }),
    geo_polygon: (g) => ({ [g.field()]: { points: g.list(g.point, 5) }, ...some(geo)(g) }),
    geo_shape: (g) => ({ [g.field()]: shaped(g), ...some({ ignore_unmapped: flag })(g) }),
    xy_shape: (g) => ({ [g.field()]: shaped(g) }),
    geo_hash: onField(point, {}),
    span_term: onField(value, { '!value': value }),
    span_near: some({ '!clauses': (g) => g.list(() => span(g), 2), slop: value, in_order: flag }),
    span_or: some({ '!clauses': (g) => g.list(() => span(g), 2) }),
    span_not: some({ '!include': span, '!exclude': span, pre: value, post: value }),
    span_first: some({ '!match': span, '!end': value }),
    span_containing: some({ '!little': span, '!big': span }),
    span_within: some({ '!little': span, '!big': span }),
    span_multi: some({ '!match': query }),
    field_masking_span: some({ '!query': span, '!field': field }),
    distance_feature: some({ '!field': field, '!origin': value, '!pivot': value }),
    rank_feature: some({ '!field': field, saturation: (g) => ({ pivot: g.value() }), log: (g) => g.json() }),
    more_like_this: some({
      '!like': like,
      unlike: like,
      fields,
      min_term_freq: value,
      max_query_terms: value,
    }),
    percolate: some({ '!field': field, document: (g) => g.json(), index: (g) => g.name(), id: text }),
    script: some({ '!script': script }),
    script_score: some({ '!query': query, '!script': script, min_score: value }),
    template: either(query, (g) => ({ source: g.text(), id: 'x', params: g.json() })),
    wrapper: (g) => ({ query: Buffer.from(JSON.stringify(g.query())).toString('base64') }),
    knn: (g) => ({
      [g.field()]: some({ '!vector': vector, '!k': value, filter: query, rescore: (h) => h.json() })(g),
    }),
    neural: (g) => ({
      [g.field()]: some({ '!query_text': text, model_id: text, k: value, filter: query })(g),
    }),
    neural_sparse: (g) => ({
      [g.field()]: some({ '!query_text': text, model_id: text, query_tokens: (h) => h.json() })(g),
    }),
    pinned: some({ '!ids': fields, '!organic': query, documents: like }),
    agentic: some({ '!query_text': text, agent_id: text }),
    ltr: some({ '!model': text, params: (g) => g.json() }),
    type: some({ '!value': text }),
  } satisfies Readonly<Record<string, Body>>),
);
