import { Type } from '@sinclair/typebox';
import type { CamelStatic } from './case';

/** How far a shard's backfill is. The rates exist while a worker copies; they go when it hands the shard back. */
export const ShardProgressSchema = Type.Object({
  total_documents: Type.Integer({ description: 'documents of the snapshot, counted at its opening' }),
  documents_per_second: Type.Optional(Type.Integer({ description: 'moving, over about half a minute' })),
  bytes_per_second: Type.Optional(Type.Integer({ description: 'of `_source`' })),
  remaining_seconds: Type.Optional(Type.Integer({ description: 'at this rate; absent: unknown' })),
});
export type ShardProgress = CamelStatic<typeof ShardProgressSchema>;

const CopiedPercent = (description: string) => Type.Integer({ minimum: 0, maximum: 100, description });

/** The same as `_status` shows it. */
export const ShownProgressSchema = Type.Object({
  ...ShardProgressSchema.properties,
  copied_percent: Type.Optional(
    CopiedPercent('100 only when the copy is complete; absent: the shard has no documents'),
  ),
});

/** The backfill of all shards together. Once the migration has ended, or is being undone, no figure moves any more. */
export const MigrationProgressSchema = Type.Object({
  shards_known: Type.Integer({
    description: 'shards whose first snapshot was opened: the others are in no figure',
  }),
  total_documents: Type.Integer(),
  documents_indexed: Type.Integer(),
  copied_percent: Type.Optional(
    CopiedPercent('100 only when the copy of every shard is complete; earlier versions leave it out'),
  ),
  documents_per_second: Type.Integer(),
  bytes_per_second: Type.Integer(),
  average_documents_per_second: Type.Optional(
    Type.Integer({
      description: 'from the first to the last copied document; absent: shards are being copied',
    }),
  ),
  peak_documents_per_second: Type.Optional(
    Type.Integer({ description: 'the highest of the timeline; there when the migration has ended' }),
  ),
  remaining_seconds: Type.Optional(
    Type.Integer({ description: 'unknown shards counted as the average of the known ones; absent: unknown' }),
  ),
});
export type MigrationProgress = CamelStatic<typeof MigrationProgressSchema>;

/** How long the cluster takes for bulks, of those that ended lately. */
const BulkLatencySchema = Type.Object({
  mean_ms: Type.Integer({ minimum: 0, description: 'from sending to the end of the answer' }),
  p95_ms: Type.Integer({ minimum: 0, description: '19 of 20 took no longer' }),
  bulks: Type.Integer({ minimum: 1, description: 'how many these figures are of' }),
});
export type BulkLatency = CamelStatic<typeof BulkLatencySchema>;

/** The load that the shard's worker puts on the cluster at the moment, and how the cluster takes it. */
export const ShardFlowSchema = Type.Object({
  controller: Type.String({ description: 'fixed, adaptive_batch or adaptive' }),
  target_bytes: Type.Integer({ description: 'what a bulk should have' }),
  max_docs: Type.Integer({ description: 'documents that a bulk has at the most' }),
  concurrency: Type.Integer({ description: 'bulks that may be under way at once' }),
  page_size: Type.Integer({ description: 'documents of the next page that is read' }),
  pauses: Type.Integer({ description: 'that the cluster has asked this job for' }),
  limited_by: Type.Optional(
    Type.String({
      description:
        'what keeps bulks from being larger or more: request_size, overload, trial, settings or throughput',
    }),
  ),
  bulk_latency: Type.Optional(BulkLatencySchema),
  paused_until_millis: Type.Optional(Type.Integer({ description: 'epoch ms; absent: nothing is held back' })),
  last_overload: Type.Optional(
    Type.Object({
      at_millis: Type.Integer(),
      work: Type.Union([Type.Literal('bulk'), Type.Literal('read')]),
      pause_ms: Type.Integer(),
      reason: Type.String(),
    }),
  ),
});
export type ShardFlow = CamelStatic<typeof ShardFlowSchema>;
