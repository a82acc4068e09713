import { findForbiddenEdit } from './limited-edits';

const source = { shardCount: 4, settings: { 'index.number_of_replicas': '2' } };
const nothing = { shardCount: undefined, settings: {}, mappings: {} };
const plain = { mayTransform: false };
const coder = { mayTransform: true };

test('shards, replicas and the refresh may differ', () => {
  const settings = { 'index.number_of_replicas': '2', 'index.refresh_interval': '5s', 'index.codec': null };
  expect(findForbiddenEdit({ ...nothing, shardCount: 64, settings }, source, plain)).toBeUndefined();
});

test.each([
  { 'index.analysis.tokenizer.t.pattern': '(a|b)*' },
  { 'index.analysis.char_filter.c.mappings_path': 'opensearch.yml' },
  { 'index.similarity.x\ny.script.source': 'return 1;' },
  { 'index.default_pipeline': 'of-others' },
  { 'index.auto_expand_replicas': '0-all' },
])('%j needs the permission for scripts', (settings) => {
  expect(findForbiddenEdit({ ...nothing, settings }, source, plain)).toContain('must have [transform]');
  expect(findForbiddenEdit({ ...nothing, settings }, source, coder)).toBeUndefined();
});

test.each([{ properties: { a: { type: 'keyword' } } }, { dynamic_templates: [] }, { _routing: null }])(
  'so does the mapping %j',
  (mappings) => {
    expect(findForbiddenEdit({ ...nothing, mappings }, source, plain)).toContain('[mappings.');
    expect(findForbiddenEdit({ ...nothing, mappings }, source, coder)).toBeUndefined();
  },
);

test("shards and copies that would fill the cluster are nobody's who is limited", () => {
  for (const caller of [plain, coder]) {
    expect(findForbiddenEdit({ ...nothing, shardCount: 65 }, source, caller)).toContain('at most 64 shards');
    const settings = { 'index.number_of_replicas': 3 };
    expect(findForbiddenEdit({ ...nothing, settings }, source, caller)).toContain('at most 2 replicas');
  }
  expect(findForbiddenEdit({ ...nothing, shardCount: 100 }, { ...source, shardCount: 100 }, plain)).toBe(
    undefined,
  );
});
