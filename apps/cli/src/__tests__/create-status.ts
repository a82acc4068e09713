import type { MigrationPhase, MigrationStatus, ShardPhase, ShardStatus } from '@aosc/client';

export function createShard(phase: ShardPhase, more: Partial<ShardStatus> = {}): ShardStatus {
  return {
    phase,
    last_replayed_seq_no: -1,
    target_seq_no: -1,
    backfill_cutoff_seq_no: -1,
    transition_history: [],
    meta: {},
    ...more,
  };
}

/** A shard that has copied some of its documents. */
export function createCopying(done: number, total: number, more: Partial<ShardStatus> = {}): ShardStatus {
  return createShard('BACKFILLING', {
    backfill: {
      status: 'IN_PROGRESS',
      documents_indexed: done,
      bulk_retries: 1,
      rounds: 1,
      current_gap: total - done,
      start_time_millis: 1,
    },
    progress: {
      total_documents: total,
      documents_per_second: 100,
      bytes_per_second: 50_000,
      remaining_seconds: 7,
    },
    ...more,
  });
}

/** A status as the API shows it, ten seconds after its start at the epoch. */
export function createStatus(
  phase: MigrationPhase,
  shards: readonly ShardStatus[],
  more: Partial<MigrationStatus> = {},
): MigrationStatus {
  return {
    migration_id: 'a__b__0',
    source_index: 'a',
    target_index: 'b',
    alias: 'al',
    phase,
    options: {
      convergence_threshold_per_shard: 500,
      max_convergence_rounds_per_shard: 1000,
      doc_count_tolerance: 0,
      accept_data_loss_if_custom_routing_is_used: false,
      target_ready_timeout_seconds: 60,
      remove_source_write_block_on_success: false,
      transient_target_settings: {},
    },
    shard_routing_mode: 'SAME_SHARD',
    delete_routing_strategy: 'TRANSLOG_ROUTING',
    start_time_millis: 0,
    last_updated_millis: 10_000,
    shards: Object.fromEntries(shards.map((shard, n) => [String(n), shard])),
    transition_history: [{ phase, start_time_millis: 0 }],
    meta: {},
    ...more,
  };
}
