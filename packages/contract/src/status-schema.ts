import { type Static, Type } from '@sinclair/typebox';
import { byName, maybe } from './shapes';
import { ResolvedOptionsSchema, TransformScriptSchema } from './migration-options';
import { createTransitionSchema, migrationPhases, RoutingModeSchema, shardPhases } from './phases';
import { CutoverStatusSchema } from './cutover-options';
import { MigrationProgressSchema, ShardFlowSchema, ShownProgressSchema } from './progress';
import { CutoverContextSchema, RehearsalSchema, shownOfMigration, WaitingSchema } from './records';
import { SetAsideSchema } from './set-aside';
import { shownOfShard } from './shard-record';

const Meta = byName(Type.String());

/** A shard as the status shows it: the contract's fields, and the original's `meta`. */
export const ShardStatusSchema = Type.Object({
  ...shownOfShard,
  progress: maybe(ShownProgressSchema),
  flow: maybe(ShardFlowSchema),
  transition_history: Type.Array(createTransitionSchema(shardPhases)),
  meta: Meta,
});

/** The answer of `_status` (contract, section 2; `delete_routing_strategy` and `meta` as the original has them). */
export const StatusSchema = Type.Object({
  ...shownOfMigration,
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
