import { type Static, Type } from '@sinclair/typebox';
import { byName, count, integer, maybe, text, truth } from './shapes';
import type { CamelStatic } from './case';
import { CutoverStatusSchema } from './cutover-options';
import { AliasesLeftBehindSchema } from './records';
import {
  countsByPhase,
  MigrationPhaseSchema,
  RoutingModeSchema,
  ShardPhaseSchema,
  shardPhases,
} from './phases';
import { settingsTable } from './settings-table';

/** The endpoints' answers when all went well (contract, section 4; contract details, section 2). */
export const StartAnswerSchema = Type.Object({
  migration_id: text('<source_index>__<target_index>__<epoch_millis>'),
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
  documents_because: maybe(text('of options.copy auto: why not files. Absent: nothing is against them')),
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

export const ListItemSchema = Type.Object({
  migration_id: Type.String(),
  source_index: Type.String(),
  target_index: Type.String(),
  alias: Type.String(),
  phase: MigrationPhaseSchema,
  start_time_millis: integer('epoch milliseconds'),
  last_updated_millis: integer('epoch milliseconds'),
  error_message: maybe(Type.String()),
  shards_by_phase: countsByPhase(
    shardPhases,
    'how many shards are in which phase; phases without a shard are left out',
  ),
  cutover: maybe(
    Type.Object({
      doc_count_validation_passed: Type.Boolean(),
      alias_swap_succeeded: Type.Boolean(),
      duration_millis: count(),
      error_message: maybe(Type.String()),
    }),
  ),
  is_terminal: Type.Boolean(),
  shard_count: count(),
  elapsed_seconds: count(),
});
export type ListItem = Readonly<Static<typeof ListItemSchema>>;

export const ListAnswerSchema = Type.Object({
  migrations: Type.Array(ListItemSchema, { description: 'newest first' }),
  truncated: truth('there are more than `size`'),
  active_count: count('migrations that have not ended'),
});
export type ListAnswer = Static<typeof ListAnswerSchema>;

export const HealthAnswerSchema = Type.Object({
  ok: Type.Literal(true),
  opensearch: Type.Object(
    {
      nodes: count(),
      away: count('nodes whose last request or ping got no answer'),
      connections: count('open ones, idle ones included'),
      waiting: count('requests that wait for a free connection'),
      renewals: count(
        'times that all connections to a node were given up: it answered on none of them, but on a fresh one',
      ),
    },
    { description: 'how the process stands with the nodes that it was given' },
  ),
});
export type HealthAnswer = Static<typeof HealthAnswerSchema>;

export const ReadinessAnswerSchema = Type.Object({
  ok: Type.Boolean(),
  checks: Type.Array(
    Type.Object({
      name: text('what was asked'),
      ok: Type.Boolean(),
      reason: maybe(text('why not')),
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
  defaults: maybe(SettingsScopeSchema),
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
      shard: count(),
      lease_id: Type.String(),
      source: Type.String(),
      retaining_seq_no: Type.Integer(),
      released: Type.Boolean(),
      error: maybe(Type.String()),
    }),
  ),
  released: count(),
  failed: count(),
  truncated: truth('there are more than were looked at'),
});
export type CleanupLeasesAnswer = Static<typeof CleanupLeasesAnswerSchema>;

const Cleared = Type.Union([Type.Literal('would_clear'), Type.Literal('cleared'), Type.Literal('not_found')]);
const FailureText = maybe(Type.String());
const Meta = byName(Type.String());

/** Contract details, 2.6. */
export const ClearStateAnswerSchema = Type.Object({
  dry_run: Type.Boolean(),
  try_close: Type.Boolean(),
  migrations: byName(
    Type.Object({
      source_index: maybe(Type.String()),
      phase: maybe(MigrationPhaseSchema),
      cluster_state: Cleared,
      active_migrations: Cleared,
      closed: Type.Boolean(),
      error: maybe(text('why it could not be cleared')),
      entry: maybe(
        Type.Object({
          migration_id: Type.String(),
          source_index: Type.String(),
          target_index: Type.String(),
          alias: Type.String(),
          transform_script: maybe(Type.Unknown()),
          options: Type.Unknown(),
          phase: MigrationPhaseSchema,
          routing_mode: Type.String(),
          delete_routing_strategy: Type.String(),
          start_time_millis: Type.Integer(),
          shards: byName(
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
    'by migration id',
  ),
});
export type ClearStateAnswer = Static<typeof ClearStateAnswerSchema>;
