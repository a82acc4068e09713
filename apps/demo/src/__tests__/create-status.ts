import type { StatusDocument } from '@aosc/testkit';

/** A status document in the middle of a migration of two shards; `parts` replace its fields. */
export function createStatus(parts: Partial<StatusDocument> = {}): StatusDocument {
  return {
    migration_id: 'a__b__1000',
    source_index: 'a',
    target_index: 'b',
    alias: 'al',
    phase: 'ACTIVE',
    shard_routing_mode: 'SPLIT_SHARD',
    start_time_millis: 1_000,
    last_updated_millis: 5_000,
    options: {},
    shards: {
      '0': {
        phase: 'BACKFILLING',
        backfill: { status: 'IN_PROGRESS', documents_indexed: 500, start_time_millis: 2_000 },
      },
      '1': {
        phase: 'CONVERGING',
        backfill: { documents_indexed: 1_000, start_time_millis: 2_000, end_time_millis: 3_000 },
        replay: { operations_applied: 40, deletes_applied: 4, current_gap: 90 },
        convergence: { operations_applied: 2, deletes_applied: 1, current_gap: 30 },
      },
    },
    ...parts,
  };
}
