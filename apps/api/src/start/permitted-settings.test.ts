import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { atCreation } from '../target/target-request';
import { findUnknownSettings, permitted } from './permitted-settings';

/** What `PUT {index}/_settings` of OpenSearch 3.7 takes on an open index, one of each group; and the contract's own. */
const dynamic = [
  'index.number_of_replicas',
  'index.refresh_interval',
  'index.auto_expand_replicas',
  'index.translog.flush_threshold_size',
  'index.translog.durability',
  'index.merge.policy.segments_per_tier',
  'index.merge.scheduler.max_thread_count',
  'index.routing.allocation.require._name',
  'index.routing.rebalance.enable',
  'index.mapping.total_fields.limit',
  'index.max_result_window',
  'index.search.slowlog.threshold.query.warn',
  'index.indexing.slowlog.level',
  'index.soft_deletes.retention_lease.period',
  'index.default_pipeline',
  'index.knn.advanced.approximate_threshold',
];

test.each(dynamic)('%s is for a request to set', (name) => {
  expect(findUnknownSettings({ [name]: '1' }, {})).toEqual([]);
});

test.each([
  'index.blocks.write',
  'index.plugins.index_state_management.policy_id',
  'index.ingestion_source.type',
  'index.number_of_shards',
  'index.no_such_setting',
  'index.constructor',
  'index.mapping',
])('%s is refused, and says where the others are listed', (name) => {
  expect(findUnknownSettings({ [name]: '1', 'index.refresh_interval': '1s' }, {})).toEqual([
    expect.stringMatching(
      /^transient_target_settings must not set \[index\.[\w.]+\](?: -> did you mean \[[^\]]+\]\?)?; docs\/reference\/target-settings\.md /,
    ),
  ]);
});

test('what the administrator has made a default may be named by a request', () => {
  const defaults = { 'index.plugins.of_ours': '1' };
  expect(findUnknownSettings({ 'index.plugins.of_ours': '2' }, defaults)).toEqual([]);
});

test('a mistyped one is answered with the nearest, in a short text', () => {
  const [text = ''] = findUnknownSettings({ 'index.numbr_of_replica': '1' }, {});
  expect(text).toContain('[index.numbr_of_replica] -> did you mean [index.number_of_replicas]?');
  expect(text.length).toBeLessThan(300);
});

test('the page lists all that are permitted', () => {
  const page = readFileSync(join(__dirname, '../../../../docs/reference/target-settings.md'), 'utf8');
  const listed = [...page.matchAll(/^- `(index\.[^`]+)`$/gm)].map(([, name]) => name);
  expect(listed).toEqual([...permitted, ...atCreation]);
});
