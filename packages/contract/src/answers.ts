import { type Static, Type } from '@sinclair/typebox';
import type { CamelStatic } from './case';
import { CutoverStatusSchema } from './cutover-options';
import { AliasesLeftBehindSchema } from './records';
import {
  MigrationPhaseSchema,
  RoutingModeSchema,
  type ShardPhase,
  ShardPhaseSchema,
  shardPhases,
} from './phases';
import { settingsTable } from './settings-table';

/** The endpoints' answers when all went well (contract, section 4; contract details, section 2). */
export const StartAnswerSchema = Type.Object({
  migration_id: Type.String({ description: '<source_index>__<target_index>__<epoch_millis>' }),
  accepted: Type.Boolean(),
  aliases_left_behind: AliasesLeftBehindSchema,
});
export type StartAnswer = Static<typeof StartAnswerSchema>;

/** The answer to a start with `dry_run` when nothing is wrong with it. */
export const StartCheckSchema = Type.Object({
  dry_run: Type.Literal(true),
  source_index: Type.String(),
  target_index: Type.String(),
  alias: Type.String(),
  shard_routing_mode: RoutingModeSchema,
  aliases_left_behind: AliasesLeftBehindSchema,
  documents_because: Type.Optional(
    Type.String({ description: 'of options.copy auto: why not files. Absent: nothing is against them' }),
  ),
});
export type StartCheck = Static<typeof StartCheckSchema>;

export const CancelAnswerSchema = Type.Object({
  accepted: Type.Boolean(),
  phase: MigrationPhaseSchema,
});
export type CancelAnswer = Static<typeof CancelAnswerSchema>;

export const CutoverAnswerSchema = Type.Object({
  accepted: Type.Boolean(),
  phase: MigrationPhaseSchema,
  cutover: CutoverStatusSchema,
});
export type CutoverAnswer = Static<typeof CutoverAnswerSchema>;

const ShardsByPhaseSchema = Type.Unsafe<Readonly<Partial<Record<ShardPhase, number>>>>({
  type: 'object',
  description: 'how many shards are in which phase; phases without a shard are left out',
  properties: Object.fromEntries(shardPhases.map((phase) => [phase, { type: 'integer', minimum: 1 }])),
  additionalProperties: false,
});

export const ListItemSchema = Type.Object({
  migration_id: Type.String(),
  source_index: Type.String(),
  target_index: Type.String(),
  alias: Type.String(),
  phase: MigrationPhaseSchema,
  start_time_millis: Type.Integer({ description: 'epoch milliseconds' }),
  last_updated_millis: Type.Integer({ description: 'epoch milliseconds' }),
  error_message: Type.Optional(Type.String()),
  shards_by_phase: ShardsByPhaseSchema,
  cutover: Type.Optional(
    Type.Object({
      doc_count_validation_passed: Type.Boolean(),
      alias_swap_succeeded: Type.Boolean(),
      duration_millis: Type.Integer({ minimum: 0 }),
      error_message: Type.Optional(Type.String()),
    }),
  ),
  is_terminal: Type.Boolean(),
  shard_count: Type.Integer({ minimum: 0 }),
  elapsed_seconds: Type.Integer({ minimum: 0 }),
});
export type ListItem = Readonly<Static<typeof ListItemSchema>>;

export const ListAnswerSchema = Type.Object({
  migrations: Type.Array(ListItemSchema, { description: 'newest first' }),
  truncated: Type.Boolean({ description: 'there are more than `size`' }),
  active_count: Type.Integer({ minimum: 0, description: 'migrations that have not ended' }),
});
export type ListAnswer = Static<typeof ListAnswerSchema>;

const count = Type.Integer({ minimum: 0 });
export const HealthAnswerSchema = Type.Object({
  ok: Type.Literal(true),
  opensearch: Type.Object(
    {
      nodes: count,
      away: Type.Integer({ minimum: 0, description: 'nodes whose last request or ping got no answer' }),
      connections: Type.Integer({ minimum: 0, description: 'open ones, idle ones included' }),
      waiting: Type.Integer({ minimum: 0, description: 'requests that wait for a free connection' }),
      renewals: Type.Integer({
        minimum: 0,
        description:
          'times that all connections to a node were given up: it answered on none of them, but on a fresh one',
      }),
    },
    { description: 'how the process stands with the nodes that it was given' },
  ),
});
export type HealthAnswer = Static<typeof HealthAnswerSchema>;

export const ReadinessAnswerSchema = Type.Object({
  ok: Type.Boolean(),
  checks: Type.Array(
    Type.Object({
      name: Type.String({ description: 'what was asked' }),
      ok: Type.Boolean(),
      reason: Type.Optional(Type.String({ description: 'why not' })),
    }),
  ),
});
export type ReadinessAnswer = CamelStatic<typeof ReadinessAnswerSchema>;

/** Settings as nested objects, or by full name; values are texts. */
export interface SettingTree {
  readonly [name: string]: string | SettingTree;
}
export const SettingTreeSchema = Type.Unsafe<SettingTree>({
  type: 'object',
  additionalProperties: { anyOf: [{ type: 'string' }, { $ref: '#/components/schemas/SettingTree' }] },
});
/** The settings of one scope: full names when `flat_settings` is asked for, nested objects otherwise. */
export const SettingsScopeSchema = Type.Unsafe<SettingTree>({
  type: 'object',
  description: 'Settings as nested objects, or by full name with flat_settings. Values are texts.',
  properties: Object.fromEntries(
    Object.entries(settingsTable).map(([name, { description, default: value }]) => [
      name,
      { type: 'string', description, default: value },
    ]),
  ),
  additionalProperties: { anyOf: [{ type: 'string' }, { $ref: '#/components/schemas/SettingTree' }] },
});

export const SettingsAnswerSchema = Type.Object({
  persistent: SettingsScopeSchema,
  transient: SettingsScopeSchema,
  defaults: Type.Optional(SettingsScopeSchema),
});
export type SettingsAnswer = Static<typeof SettingsAnswerSchema>;

export const SettingsChangedAnswerSchema = Type.Object({
  acknowledged: Type.Literal(true),
  persistent: SettingsScopeSchema,
  transient: SettingsScopeSchema,
});
export type SettingsChangedAnswer = Static<typeof SettingsChangedAnswerSchema>;

/** Contract details, 2.5. */
export const CleanupLeasesAnswerSchema = Type.Object({
  dry_run: Type.Boolean(),
  leases: Type.Array(
    Type.Object({
      index: Type.String(),
      shard: Type.Integer({ minimum: 0 }),
      lease_id: Type.String(),
      source: Type.String(),
      retaining_seq_no: Type.Integer(),
      released: Type.Boolean(),
      error: Type.Optional(Type.String()),
    }),
  ),
  released: Type.Integer({ minimum: 0 }),
  failed: Type.Integer({ minimum: 0 }),
  truncated: Type.Boolean({ description: 'there are more than were looked at' }),
});

const Cleared = Type.Union([Type.Literal('would_clear'), Type.Literal('cleared'), Type.Literal('not_found')]);
const FailureText = Type.Optional(Type.String());
const Meta = Type.Record(Type.String(), Type.String());

/** Contract details, 2.6. */
export const ClearStateAnswerSchema = Type.Object({
  dry_run: Type.Boolean(),
  try_close: Type.Boolean(),
  migrations: Type.Record(
    Type.String(),
    Type.Object({
      source_index: Type.Optional(Type.String()),
      phase: Type.Optional(MigrationPhaseSchema),
      cluster_state: Cleared,
      active_migrations: Cleared,
      closed: Type.Boolean(),
      error: Type.Optional(Type.String({ description: 'why it could not be cleared' })),
      entry: Type.Optional(
        Type.Object({
          migration_id: Type.String(),
          source_index: Type.String(),
          target_index: Type.String(),
          alias: Type.String(),
          transform_script: Type.Optional(Type.Unknown()),
          options: Type.Unknown(),
          phase: MigrationPhaseSchema,
          routing_mode: Type.String(),
          delete_routing_strategy: Type.String(),
          start_time_millis: Type.Integer(),
          shards: Type.Record(
            Type.String(),
            Type.Object({
              phase: ShardPhaseSchema,
              last_replayed_seq_no: Type.Integer(),
              backfill_cutoff_seq_no: Type.Integer(),
              failure: FailureText,
              meta: Meta,
            }),
          ),
          failure: FailureText,
          meta: Meta,
        }),
      ),
    }),
    { description: 'by migration id' },
  ),
});
