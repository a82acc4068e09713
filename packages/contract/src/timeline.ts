import { type Static, Type } from '@sinclair/typebox';
import { count, integer, maybe } from './shapes';
import type { CamelStatic } from './case';
import { MigrationPhaseSchema } from './phases';

const Figures = (description: string) => Type.Array(count(), { description });

/** The curve of a migration, a list for each figure: the n-th of each belongs to the n-th moment. */
export const TimelinePointsSchema = Type.Object({
  at_millis: Figures('epoch ms, ascending'),
  phase: Type.Array(MigrationPhaseSchema),
  documents_indexed: Figures('by the first copy, so far'),
  documents_per_second: Figures('of all shards'),
  bytes_per_second: Figures('of `_source`'),
  gap: Type.Array(Type.Union([Type.Integer(), Type.Null()]), {
    description: 'operations left to replay, of all shards; null: unknown',
  }),
  batch_bytes: Figures('what bulks should have, of all shards together'),
  concurrency: Figures('bulks that may be under way at once, of all shards'),
  pauses: Figures('that the cluster has asked the jobs of that moment for'),
  bulk_latency_ms: maybe(
    Type.Array(Type.Union([count(), Type.Null()]), {
      description: 'mean of the bulks of all shards that ended lately, each counted once; null: none did',
    }),
  ),
});
export type TimelinePoints = CamelStatic<typeof TimelinePointsSchema>;

/** Kept with a migration, apart from its record: losing it would lose a picture. */
export const TimelineRecordSchema = Type.Object({
  kind: Type.Literal('timeline'),
  schema_version: Type.Integer(),
  key: Type.String(),
  points: TimelinePointsSchema,
  peak_documents_per_second: maybe(integer('of all moments, those that were thinned out included')),
});
export type TimelineRecord = CamelStatic<typeof TimelineRecordSchema>;

/** The answer of `_timeline`. */
export const TimelineAnswerSchema = Type.Object({
  migration_id: Type.String(),
  source_index: Type.String(),
  points: TimelinePointsSchema,
});
export type TimelineAnswer = Readonly<Static<typeof TimelineAnswerSchema>>;
