import type { MigrationStatus } from '@aosc/client';

export type Shard = MigrationStatus['shards'][string];

export interface ShardSums {
  /** operations left to replay; undefined: no shard has a figure yet */
  readonly gap: number | undefined;
  readonly retries: number;
  readonly deletes: number;
  /** operations that rounds have brought */
  readonly replayed: number;
  readonly pauses: number;
  readonly batchBytes: number;
  readonly concurrency: number;
  /** mean over the latest bulks, each counted once; undefined: no bulk has ended */
  readonly bulkLatencyMs: number | undefined;
}

/** The newest gap of a shard. */
function gapOf({ catching_up, convergence, replay }: Shard): number | undefined {
  return (catching_up ?? convergence ?? replay)?.current_gap;
}

/** The figures of all shards together. */
export function sumShards(shards: readonly Shard[]): ShardSums {
  let gap: number | undefined;
  let [retries, deletes, replayed, pauses, batchBytes, concurrency] = [0, 0, 0, 0, 0, 0];
  let [bulks, bulksTookMs] = [0, 0];
  for (const shard of shards) {
    const own = gapOf(shard);
    if (own !== undefined) gap = (gap ?? 0) + own;
    for (const counters of [shard.backfill, shard.replay, shard.convergence, shard.catching_up]) {
      retries += counters?.bulk_retries ?? 0;
      deletes += counters?.deletes_applied ?? 0;
      replayed += counters?.operations_applied ?? 0;
    }
    pauses += shard.flow?.pauses ?? 0;
    batchBytes += shard.flow?.target_bytes ?? 0;
    concurrency += shard.flow?.concurrency ?? 0;
    const latency = shard.flow?.bulk_latency;
    if (latency !== undefined) {
      bulks += latency.bulks;
      bulksTookMs += latency.bulks * latency.mean_ms;
    }
  }
  const bulkLatencyMs = bulks === 0 ? undefined : bulksTookMs / bulks;
  return { gap, retries, deletes, replayed, pauses, batchBytes, concurrency, bulkLatencyMs };
}
