import { type Static, Type } from '@sinclair/typebox';
import { byName, maybe } from './shapes';
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
  RehearsalSchema,
  WaitingSchema,
  WhoSchema,
} from './records';
import { SetAsideSchema } from './set-aside';
import { CountersSchema } from './shard-record';

const Meta = byName(Type.String());

/** A shard as the status shows it: the contract's fields, and the original's `meta`. */
export const ShardStatusSchema = Type.Object({
  phase: ShardPhaseSchema,
  error: maybe(Type.String()),
  last_replayed_seq_no: Type.Integer(),
  target_seq_no: Type.Integer(),
  backfill_cutoff_seq_no: Type.Integer(),
  backfill: maybe(CountersSchema),
  replay: maybe(CountersSchema),
  convergence: maybe(CountersSchema),
  catching_up: maybe(CountersSchema),
  progress: maybe(ShownProgressSchema),
  flow: maybe(ShardFlowSchema),
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
  transform_script: maybe(TransformScriptSchema),
  options: ResolvedOptionsSchema,
  shard_routing_mode: RoutingModeSchema,
  delete_routing_strategy: Type.String(),
  start_time_millis: Type.Integer(),
  last_updated_millis: Type.Integer(),
  error_message: maybe(Type.String()),
  waiting_for: maybe(WaitingSchema),
  progress: maybe(MigrationProgressSchema),
  cutover: maybe(CutoverStatusSchema),
  set_aside: maybe(SetAsideSchema),
  cutover_context: maybe(CutoverContextSchema),
  rehearsal: maybe(RehearsalSchema),
  shards: byName(ShardStatusSchema),
  transition_history: Type.Array(createTransitionSchema(migrationPhases)),
  meta: Meta,
});
export type StatusDocument = Static<typeof StatusSchema>;
