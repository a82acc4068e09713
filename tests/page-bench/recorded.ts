import type { MigrationIndices, MigrationSummary, StatusDocument, TimelineAnswer } from '@aosc/contract';

/** Answers of an API with a thousand migrations, one of them of 500 shards in the middle of its copy. */
const shardCount = 500;
export const migrationCount = 1_000;
export const bigSource = 'index-0-v1';

const begin = 1_760_000_000_000;
const documentsPerShard = 1_000_000;

/** @param step how often it has changed: figures of all shards differ from one step to the next */
export function statusAt(step: number): StatusDocument {
  const shards = Object.fromEntries(
    Array.from({ length: shardCount }, (_, shard) => [String(shard), shardAt(shard, step)]),
  );
  return {
    migration_id: `${bigSource}__index-0-v2__${begin}`,
    source_index: bigSource,
    target_index: 'index-0-v2',
    alias: 'index-0',
    phase: 'ACTIVE',
    options: {
      convergence_threshold_per_shard: 500,
      max_convergence_rounds_per_shard: 1000,
      doc_count_tolerance: 0,
      accept_data_loss_if_custom_routing_is_used: false,
      target_ready_timeout_seconds: 14_400,
      remove_source_write_block_on_success: false,
      transient_target_settings: {},
    },
    shard_routing_mode: 'SPLIT_SHARD',
    delete_routing_strategy: 'TRANSLOG_ROUTING',
    start_time_millis: begin,
    last_updated_millis: begin + step * 1000,
    progress: {
      shards_known: shardCount,
      total_documents: shardCount * documentsPerShard,
      documents_indexed: shardCount * documentsOf(0, step),
      copied_percent: 50,
      documents_per_second: 90_000 + (step % 50) * 100,
      bytes_per_second: 90_000_000,
      remaining_seconds: 3_600,
    },
    shards,
    transition_history: [{ phase: 'ACTIVE', start_time_millis: begin }],
    meta: { 'write_block.applied': 'false', 'alias.swapped': 'false' },
  };
}

function documentsOf(shard: number, step: number): number {
  return Math.min(documentsPerShard, ((shard * 2_003) % 300_000) + step * 1_000);
}

function shardAt(shard: number, step: number): StatusDocument['shards'][string] {
  const done = documentsOf(shard, step);
  return {
    phase: shard % 5 === 0 ? 'CONVERGING' : 'BACKFILLING',
    last_replayed_seq_no: -1,
    target_seq_no: documentsPerShard + step,
    backfill_cutoff_seq_no: documentsPerShard,
    backfill: {
      status: 'IN_PROGRESS',
      documents_indexed: done,
      bulk_retries: 0,
      rounds: done,
      current_gap: documentsPerShard - done,
      start_time_millis: begin,
    },
    progress: {
      total_documents: documentsPerShard,
      copied_percent: Math.floor((99 * done) / documentsPerShard),
      documents_per_second: 180,
      bytes_per_second: 180_000,
    },
    flow: {
      controller: 'adaptive',
      target_bytes: 5_000_000,
      max_docs: 1_000,
      concurrency: 2,
      page_size: 5_000,
      pauses: 0,
      limited_by: 'throughput',
      bulk_latency: { mean_ms: 80 + (step % 40), p95_ms: 200, bulks: 64 },
    },
    transition_history: [{ phase: 'BACKFILLING', start_time_millis: begin }],
    meta: {},
  };
}

/** What the cluster says of the indices of that migration. */
export function indicesNow(): MigrationIndices {
  const index = (name: string) => ({ name, state: 'same' as const, aliases: [], is_write_blocked: false });
  return {
    migration_id: `${bigSource}__index-0-v2__${begin}`,
    at_millis: begin,
    alias: { name: 'index-0', indices: [bigSource] },
    source: index(bigSource),
    target: index('index-0-v2'),
  };
}

/** A curve as long as one may be. */
export function timeline(): TimelineAnswer {
  const at = Array.from({ length: 2_000 }, (_, n) => n);
  const figures = (most: number) => at.map((n) => Math.round(most * (1 + Math.sin(n / 40))));
  return {
    migration_id: `${bigSource}__index-0-v2__${begin}`,
    source_index: bigSource,
    points: {
      at_millis: at.map((n) => begin + n * 5_000),
      phase: at.map(() => 'ACTIVE'),
      documents_indexed: figures(1_000_000),
      documents_per_second: figures(90_000),
      bytes_per_second: figures(90_000_000),
      gap: figures(1_000),
      batch_bytes: figures(5_000_000),
      concurrency: figures(1_000),
      pauses: figures(10),
      bulk_latency_ms: figures(100),
    },
  };
}

/** @param step changes the figures of the migrations that run, one in ten */
export function summaryAt(n: number, step: number): MigrationSummary {
  const isRunning = n % 10 === 0;
  return {
    migration_id: `index-${n}-v1__index-${n}-v2__${begin}`,
    source_index: `index-${n}-v1`,
    target_index: `index-${n}-v2`,
    alias: `index-${n}`,
    phase: isRunning ? 'ACTIVE' : 'COMPLETED',
    start_time_millis: begin + n,
    last_updated_millis: begin + n + step,
    shards_by_phase: isRunning ? { BACKFILLING: 5 } : { COMPLETED: 5 },
    is_terminal: !isRunning,
    shard_count: n === 0 ? shardCount : 5,
    elapsed_seconds: 60 + step,
    shard_routing_mode: 'SPLIT_SHARD',
    target_shard_count: 10,
    progress: {
      shards_known: 5,
      total_documents: 1_000_000,
      documents_indexed: isRunning ? Math.min(1_000_000, 1_000 * step + n) : 1_000_000,
      copied_percent: isRunning ? Math.min(99, Math.floor(step / 10)) : 100,
      documents_per_second: isRunning ? 5_000 + step : 0,
      bytes_per_second: isRunning ? 5_000_000 : 0,
    },
  };
}
