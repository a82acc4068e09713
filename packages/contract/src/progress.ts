import { Type } from '@sinclair/typebox';
import { count, integer, maybe, text } from './shapes';
import type { CamelStatic } from './case';

/** How far a shard's backfill is. The rates exist while a worker copies; they go when it hands the shard back. */
export const ShardProgressSchema = Type.Object({
  total_documents: integer('documents of the snapshot, counted at its opening'),
  documents_per_second: maybe(integer('moving, over about half a minute')),
  bytes_per_second: maybe(integer('of `_source`')),
  remaining_seconds: maybe(integer('at this rate; absent: unknown')),
});
export type ShardProgress = CamelStatic<typeof ShardProgressSchema>;

const CopiedPercent = (description: string) => Type.Integer({ minimum: 0, maximum: 100, description });

/** The same as `_status` shows it. */
export const ShownProgressSchema = Type.Object({
  ...ShardProgressSchema.properties,
  copied_percent: maybe(
    CopiedPercent('100 only when the copy is complete; absent: the shard has no documents'),
  ),
});

/** The backfill of all shards together. Once the migration has ended, or is being undone, no figure moves any more. */
export const MigrationProgressSchema = Type.Object({
  shards_known: integer('shards whose first snapshot was opened: the others are in no figure'),
  total_documents: Type.Integer(),
  documents_indexed: Type.Integer(),
  copied_percent: maybe(
    CopiedPercent('100 only when the copy of every shard is complete; earlier versions leave it out'),
  ),
  documents_per_second: Type.Integer(),
  bytes_per_second: Type.Integer(),
  average_documents_per_second: maybe(
    integer('from the first to the last copied document; absent: shards are being copied'),
  ),
  peak_documents_per_second: maybe(
    integer('the highest of the timeline; there when the migration has ended'),
  ),
  remaining_seconds: maybe(
    integer('unknown shards counted as the average of the known ones; absent: unknown'),
  ),
});
export type MigrationProgress = CamelStatic<typeof MigrationProgressSchema>;

/** How long the cluster takes for bulks, of those that ended lately. */
const BulkLatencySchema = Type.Object({
  mean_ms: count('from sending to the end of the answer'),
  p95_ms: count('19 of 20 took no longer'),
  bulks: Type.Integer({ minimum: 1, description: 'how many these figures are of' }),
});
export type BulkLatency = CamelStatic<typeof BulkLatencySchema>;

/** The load that the shard's worker puts on the cluster at the moment, and how the cluster takes it. */
export const ShardFlowSchema = Type.Object({
  controller: text('fixed, adaptive_batch or adaptive'),
  target_bytes: integer('what a bulk should have'),
  max_docs: integer('documents that a bulk has at the most'),
  concurrency: integer('bulks that may be under way at once'),
  page_size: integer('documents of the next page that is read'),
  pauses: integer('that the cluster has asked this job for'),
  limited_by: maybe(
    text('what keeps bulks from being larger or more: request_size, overload, trial, settings or throughput'),
  ),
  bulk_latency: maybe(BulkLatencySchema),
  paused_until_millis: maybe(integer('epoch ms; absent: nothing is held back')),
  last_overload: maybe(
    Type.Object({
      at_millis: Type.Integer(),
      work: Type.Union([Type.Literal('bulk'), Type.Literal('read')]),
      pause_ms: Type.Integer(),
      reason: Type.String(),
    }),
  ),
});
export type ShardFlow = CamelStatic<typeof ShardFlowSchema>;
