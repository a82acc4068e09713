/** The one index that holds all durable state. */
export const systemIndex = '.aosc-migrations';

const keyword = { type: 'keyword' } as const;
const long = { type: 'long' } as const;

/**
 * The mapping has only the fields that queries search; OpenSearch stores everything else without indexing it, so that
 * no user's query, script or setting name can collide with a mapping.
 */
export const systemMapping = {
  dynamic: false,
  properties: {
    kind: keyword,
    key: keyword,
    migration_id: keyword,
    source_index: keyword,
    target_index: keyword,
    alias: keyword,
    phase: keyword,
    shard: long,
    start_time_millis: long,
    guard_until_millis: long,
  },
} as const;

export const systemSettings = {
  'index.hidden': true,
  'index.number_of_shards': 1,
  'index.auto_expand_replicas': '0-1',
} as const;
