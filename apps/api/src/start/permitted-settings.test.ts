import { findUnknownSettings } from './permitted-settings';

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
])('%s is refused, with what is permitted', (name) => {
  expect(findUnknownSettings({ [name]: '1', 'index.refresh_interval': '1s' }, {})).toEqual([
    expect.stringMatching(/^transient_target_settings must not set \[index\.\S+\]: permitted are \[index\./),
  ]);
});

test('what the administrator has made a default may be named by a request', () => {
  const defaults = { 'index.plugins.of_ours': '1' };
  expect(findUnknownSettings({ 'index.plugins.of_ours': '2' }, defaults)).toEqual([]);
});
