import type { ShardStatus, StatusDocument } from '@aosc/testkit';
import { gapOf } from './sustained';

const createStatus = (shards: readonly ShardStatus[]): StatusDocument => ({
  migration_id: 'a__b__1',
  source_index: 'a',
  target_index: 'b',
  alias: 'c',
  phase: 'ACTIVE',
  shard_routing_mode: 'SPLIT_SHARD',
  start_time_millis: 1,
  last_updated_millis: 2,
  options: {},
  shards: Object.fromEntries(shards.map((shard, at) => [at, shard])),
});

test('the gap is that of the latest stage of each shard, summed', () => {
  const replay = { current_gap: 900 };
  const status = createStatus([
    { phase: 'CONVERGING', replay },
    { phase: 'CONVERGED', replay, convergence: { current_gap: 40 } },
    { phase: 'CATCHING_UP', replay, convergence: { current_gap: 40 }, catching_up: { current_gap: 0 } },
    { phase: 'BACKFILLING', backfill: { current_gap: 5000 } },
  ]);
  expect(gapOf(status)).toBe(940);
});

test('before a replay nobody knows it', () => {
  expect(gapOf(createStatus([{ phase: 'BACKFILLING', backfill: { current_gap: 5000 } }]))).toBeUndefined();
});
