import { findForbiddenEdit } from './limited-edits';

const source = { shardCount: 4, settings: { 'index.number_of_replicas': '2' } };
const yardstick = { source, defaults: {} };
const nothing = { shardCount: undefined, settings: {}, mappings: {} };
const plain = { mayTransform: false };
const coder = { mayTransform: true };

test('shards, replicas and the refresh may differ', () => {
  const settings = { 'index.number_of_replicas': '2', 'index.refresh_interval': '5s', 'index.codec': null };
  expect(findForbiddenEdit({ ...nothing, shardCount: 64, settings }, yardstick, plain)).toBeUndefined();
});

test.each([
  { 'index.analysis.tokenizer.t.pattern': '(a|b)*' },
  { 'index.analysis.char_filter.c.mappings_path': 'opensearch.yml' },
  { 'index.similarity.x\ny.script.source': 'return 1;' },
  { 'index.default_pipeline': 'of-others' },
])('%j needs the permission for scripts', (settings) => {
  expect(findForbiddenEdit({ ...nothing, settings }, yardstick, plain)).toContain('must have [transform]');
  expect(findForbiddenEdit({ ...nothing, settings }, yardstick, coder)).toBeUndefined();
});

test.each([{ properties: { a: { type: 'keyword' } } }, { dynamic_templates: [] }, { _routing: null }])(
  'so does the mapping %j',
  (mappings) => {
    expect(findForbiddenEdit({ ...nothing, mappings }, yardstick, plain)).toContain('[mappings.');
    expect(findForbiddenEdit({ ...nothing, mappings }, yardstick, coder)).toBeUndefined();
  },
);

test("shards that would fill the cluster are nobody's who is limited", () => {
  for (const caller of [plain, coder]) {
    expect(findForbiddenEdit({ ...nothing, shardCount: 65 }, yardstick, caller)).toContain(
      'at most 64 shards',
    );
  }
  const large = { ...yardstick, source: { ...source, shardCount: 100 } };
  expect(findForbiddenEdit({ ...nothing, shardCount: 100 }, large, plain)).toBeUndefined();
});

test.each<[string, unknown]>([
  ['index.number_of_replicas', 3],
  ['index.number_of_replicas', '990'],
  ['index.number_of_replicas', '0x3de'],
  // Java reads these as 990.
  ['index.number_of_replicas', '٩٩٠'],
  ['index.number_of_replicas', ['990']],
  ['index.number_of_search_replicas', 3],
  ['index.auto_expand_replicas', '0-all'],
  ['index.auto_expand_replicas', '0-3'],
  ['index.auto_expand_replicas', '0-٩'],
  ['index.auto_expand_search_replicas', '0-all'],
  ['index.number_of_routing_shards', 1_025],
  ['index.number_of_routing_shards', '1073741824'],
  ['index.refresh_interval', '1ms'],
  ['index.refresh_interval', '0'],
  ['index.refresh_interval', '999ms'],
])('%s of %j is more than a limited credential may ask for, with any permission', (name, value) => {
  const settings = { [name]: value } as Record<string, string>;
  const named = { ...yardstick, defaults: { [name]: '1' } };
  for (const caller of [plain, coder]) {
    expect(findForbiddenEdit({ settings }, named, caller)).toMatch(
      /may not set \[index\..*may .*ask an administrator/,
    );
  }
});

test.each<[string, unknown]>([
  ['index.number_of_replicas', 2],
  ['index.number_of_replicas', null],
  ['index.number_of_search_replicas', '1'],
  ['index.auto_expand_replicas', '0-2'],
  ['index.auto_expand_replicas', false],
  ['index.refresh_interval', -1],
  ['index.refresh_interval', '1000ms'],
  ['index.refresh_interval', '1h'],
])('%s of %j is within the bounds, when an administrator has named the setting', (name, value) => {
  const settings = { [name]: value } as Record<string, string>;
  const named = { ...yardstick, defaults: { [name]: '1' } };
  expect(findForbiddenEdit({ settings }, named, plain)).toBeUndefined();
});

test.each([
  'index.search.slowlog.threshold.query.warn',
  'index.indexing.slowlog.source',
  'index.routing.allocation.require._name',
  'index.routing.rebalance.enable',
  'index.priority',
])('%s reaches beyond the index: not even the permission for scripts is enough', (name) => {
  for (const caller of [plain, coder]) {
    const reason = findForbiddenEdit({ settings: { [name]: '0ms' } }, yardstick, caller);
    expect(reason).toMatch(/reaches beyond the index.*ask an administrator/);
  }
});

test("an administrator's own value is permitted, and no other", () => {
  const defaults = { 'index.number_of_replicas': 5, 'index.routing.allocation.require.box': 'fill' };
  const asked = (settings: Record<string, string>) =>
    findForbiddenEdit({ settings }, { source, defaults }, plain);
  expect(asked({ 'index.number_of_replicas': '5' })).toBeUndefined();
  expect(asked({ 'index.number_of_replicas': '4' })).toContain('at most 2 replicas');
  expect(asked({ 'index.routing.allocation.require.box': 'fill' })).toBeUndefined();
  expect(asked({ 'index.routing.allocation.require.box': 'others' })).toContain('beyond the index');
});
