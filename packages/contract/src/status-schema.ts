import { type Static, Type } from '@sinclair/typebox';
import { ResolvedOptionsSchema, TransformScriptSchema } from './migration-options';
import {
  createTransitionSchema,
  MigrationPhaseSchema,
  migrationPhases,
  RoutingModeSchema,
  ShardPhaseSchema,
  shardPhases,
} from './phases';
import { CutoverStatusSchema } from './cutover-options';
import { MigrationProgressSchema, ShardFlowSchema, ShownProgressSchema } from './progress';
import {
  AliasesLeftBehindSchema,
  CutoverContextSchema,
  MappingDriftSchema,
  WaitingSchema,
  WhoSchema,
} from './records';
import { CountersSchema } from './shard-record';

const Meta = Type.Record(Type.String(), Type.String());

/** A shard as the status shows it: the contract's fields, and the original's `meta`. */
export const ShardStatusSchema = Type.Object({
  phase: ShardPhaseSchema,
  error: Type.Optional(Type.String()),
  last_replayed_seq_no: Type.Integer(),
  target_seq_no: Type.Integer(),
  backfill_cutoff_seq_no: Type.Integer(),
  backfill: Type.Optional(CountersSchema),
  replay: Type.Optional(CountersSchema),
  convergence: Type.Optional(CountersSchema),
  catching_up: Type.Optional(CountersSchema),
  progress: Type.Optional(ShownProgressSchema),
  flow: Type.Optional(ShardFlowSchema),
  transition_history: Type.Array(createTransitionSchema(shardPhases)),
  meta: Meta,
});

/** The answer of `_status` (contract, section 2; `delete_routing_strategy` and `meta` as the original has them). */
export const StatusSchema = Type.Object({
  migration_id: Type.String(),
  source_index: Type.String(),
  target_index: Type.String(),
  alias: Type.String(),
  aliases_left_behind: AliasesLeftBehindSchema,
  started_by: WhoSchema('who has started it'),
  cancelled_by: WhoSchema('who has cancelled it'),
  mapping_drift: MappingDriftSchema,
  phase: MigrationPhaseSchema,
  transform_script: Type.Optional(TransformScriptSchema),
  options: ResolvedOptionsSchema,
  shard_routing_mode: RoutingModeSchema,
  delete_routing_strategy: Type.String(),
  start_time_millis: Type.Integer(),
  last_updated_millis: Type.Integer(),
  error_message: Type.Optional(Type.String()),
  waiting_for: Type.Optional(WaitingSchema),
  progress: Type.Optional(MigrationProgressSchema),
  cutover: Type.Optional(CutoverStatusSchema),
  cutover_context: Type.Optional(CutoverContextSchema),
  shards: Type.Record(Type.String(), ShardStatusSchema),
  transition_history: Type.Array(createTransitionSchema(migrationPhases)),
  meta: Meta,
});
export type StatusDocument = Static<typeof StatusSchema>;
