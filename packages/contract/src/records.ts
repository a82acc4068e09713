import { Type } from '@sinclair/typebox';
import { byName, count, integer, maybe, oneOf, text, truth } from './shapes';
import type { CamelStatic } from './case';
import { cutoverFields } from './cutover-options';
import { FilesSchema } from './files-record';
import { ResolvedOptionsSchema, TransformScriptSchema } from './migration-options';
import { createTransitionSchema, MigrationPhaseSchema, migrationPhases, RoutingModeSchema } from './phases';

/**
 * The stored shapes of `.aosc-migrations`; that of a shard has a file of its own. Two versions of the service work on
 * the same records while processes are replaced, so a shape never changes in place:
 *
 * - A new field is optional. A version that does not know it reads the record without it and drops it with its next
 *   write: the version that knows it must cope without it.
 * - `schema_version` grows by one when a version that does not know the change would go wrong: another meaning of a
 *   field, a further value of a list (a phase, a reason), a field that must not be dropped. Older versions refuse to
 *   read such a record, and leave it as it is.
 * - Every write carries the version that its content needs, so that a record is never older than its content. A record
 *   without the change carries the old version: processes of both versions work on it while they are replaced.
 */
export const recordSchemaVersion = 1;
/** A service before this version would begin a cutover that a record of this version postpones. */
export const postponedSchemaVersion = 2;
/** A service before this version would leave the settings of a write hold on the source. */
export const holdSchemaVersion = 4;
/** A service before this version would swap an unverified target, or that of a rehearsal. */
export const verifySchemaVersion = 5;

export const maxAliasesLeftBehind = 50;

export const AliasesLeftBehindSchema = maybe(
  Type.Unsafe<readonly string[]>({
    type: 'array',
    items: { type: 'string' },
    maxItems: maxAliasesLeftBehind,
    description:
      'Other aliases of the source, as of the start, and of a completed migration as of its end. The swap leaves them on the source, which takes no writes then. Absent: there are none.',
  }),
);

export const maxMappingDrift = 50;
/** The most differences at the start that a record keeps. */
export const maxMappingMarks = 1000;

const MappingDriftSchema = maybe(
  Type.Unsafe<readonly { readonly field: string; readonly source: string; readonly target?: string }[]>({
    type: 'array',
    maxItems: maxMappingDrift,
    items: Type.Object({
      field: text('path; (root): what the mapping says as a whole'),
      source: text('its definition there as JSON, shortened'),
      target: maybe(text('absent: the target has no such field')),
    }),
    description:
      'Fields that source or target have come to map in different ways since the start, as of the last look before writers are stopped. Queries on them answer otherwise after the swap. Absent or empty: there are none.',
  }),
);

/** The caller of a request, as the audit log has it. */
const WhoSchema = (what: string) =>
  maybe(text(`${what}: kind and name of the credential; absent: the API asked for none`));

/** Outcome of the cutover as far as it came (contract, section 2). */
export const CutoverContextSchema = Type.Object({
  source_doc_count: maybe(Type.Integer()),
  target_doc_count: maybe(Type.Integer()),
  doc_count_tolerance: Type.Integer(),
  doc_count_validation_passed: Type.Boolean(),
  alias_swap_succeeded: Type.Boolean(),
  cutover_start_millis: Type.Integer(),
  cutover_end_millis: maybe(Type.Integer()),
});

const RehearsedSchema = Type.Object({
  documents: maybe(count('that are copied')),
  seconds: maybe(count('that the copy takes')),
  pause_ms: maybe(count('that writes would wait or be refused in the cutover')),
});

/** A migration that ends before its cutover. */
export const RehearsalSchema = Type.Object({
  outcome: maybe(
    oneOf(
      ['exact', 'different', 'not_verified'],
      'what the verification has found; absent: the rehearsal has not come to its end, or was cancelled or has failed before',
    ),
  ),
  differences: maybe(count('documents; _verify has them')),
  documents_verified: maybe(count('of the source, in all passes')),
  verified_ms: maybe(count('how long the verification has taken')),
  estimated: maybe(RehearsedSchema),
  found: maybe(RehearsedSchema),
});
export type Rehearsal = CamelStatic<typeof RehearsalSchema>;

/**
 * `worker`: no worker process takes jobs. `permit`: `aosc.backfill.max_concurrent_per_node` is 0. `target`: the target is
 * not green. `gap`: a shard of the source does not come close enough to its copy for a short write block.
 * `cluster`: the cluster refuses a step, or fails at it, again and again.
 */
const WaitingReasonSchema = oneOf(['worker', 'permit', 'target', 'gap', 'cluster'] as const);

/** What has to happen outside the migration before it can go on. */
export const WaitingSchema = Type.Object({
  reason: WaitingReasonSchema,
  since_millis: integer('epoch ms'),
  text: maybe(text('what stands in the way, and what to do')),
});
export type Waiting = CamelStatic<typeof WaitingSchema>;

/** The write block of the source, as far as this migration has requested it. */
const WriteBlockSchema = Type.Object({
  requested_at_millis: integer('when the block was first asked for, epoch ms'),
  original: maybe(text('index.blocks.write before; absent: it was not set')),
  users_own: truth('the source was write-blocked before; such a block is never lifted'),
  confirmed: truth('no write can be acknowledged any more'),
  lifted: Type.Boolean(),
});
export type WriteBlock = CamelStatic<typeof WriteBlockSchema>;

const byShard = (description: string) => maybe(byName(Type.Integer(), description));

/** What the status shows of a migration's record as it is. */
export const shownOfMigration = {
  migration_id: Type.String(),
  source_index: Type.String(),
  target_index: Type.String(),
  alias: Type.String(),
  aliases_left_behind: AliasesLeftBehindSchema,
  started_by: WhoSchema('who has started it'),
  cancelled_by: WhoSchema('who has cancelled it'),
  mapping_drift: MappingDriftSchema,
  phase: MigrationPhaseSchema,
};

/**
 * A migration as it is stored. Older versions only know `error_message`, `waiting_for`, `held_up` and `obstacle`: this
 * version writes them for those, and reads them when `reason` and `clearings` are missing.
 */
export const MigrationRecordSchema = Type.Object({
  kind: Type.Literal('migration'),
  schema_version: Type.Integer(),
  key: text('hash of migration_id: names of records, fences, token, jobs are built from it'),
  ...shownOfMigration,
  shard_routing_mode: RoutingModeSchema,
  source_shard_count: Type.Integer({ minimum: 1 }),
  target_shard_count: Type.Integer({ minimum: 1 }),
  start_time_millis: Type.Integer(),
  last_updated_millis: Type.Integer(),
  options: ResolvedOptionsSchema,
  transform_script: maybe(TransformScriptSchema),
  transform: maybe(
    Type.Object(
      {
        source: text('Painless; the text of a stored script as it was at the start'),
        params: maybe(byName(Type.Unknown())),
        rewrites_identity: truth(
          'documents may get another id or routing: they are transformed before they are written',
        ),
      },
      { description: 'absent: documents are copied as they are' },
    ),
  ),
  cutover_context: maybe(CutoverContextSchema),
  rehearsal: maybe(RehearsalSchema),
  transition_history: Type.Array(createTransitionSchema(migrationPhases)),
  error_message: maybe(text('composed of reason, clearings and not_restored at each write')),
  reason: maybe(text('why the migration ends as it does')),
  clearings: maybe(
    Type.Array(
      Type.Object({
        undone: truth("false: block and target's settings were left as they were"),
      }),
      { description: 'each time that an administrator has cleared it (_clear_state)' },
    ),
  ),
  waiting_for: maybe(WaitingSchema),
  // What PREPARING_TARGET waits for. Separate from waiting_for, of which older versions know fewer reasons.
  held_up: maybe(WaitingSchema),
  cluster_uuid: Type.String(),
  source_uuid: Type.String(),
  target_uuid: text('empty: the target is still to be made of files'),
  files: maybe(FilesSchema),
  source_routing: Type.Object(
    { routing_shard_count: Type.Integer({ minimum: 1 }), partition_size: Type.Integer({ minimum: 1 }) },
    { description: 'with source_shard_count: which source shard a document belongs to' },
  ),
  target_histories: maybe(
    byName(
      Type.String(),
      'history uuid of each target shard when the copy began; a changed one means lost writes',
    ),
  ),
  target_originals: maybe(
    byName(
      Type.Union([Type.String(), Type.Null()]),
      'target settings before they were overridden; null: the setting was at its default',
    ),
  ),
  mapping_marks: maybe(
    Type.Array(Type.String(), {
      maxItems: maxMappingMarks,
      description:
        'one for each field that source and target mapped in different ways at the start; absent: they are not watched',
    }),
  ),
  mappings_seen: maybe(
    Type.Object({
      source: integer('version of the mapping that was compared last'),
      target: Type.Integer(),
      near_swap: truth('the copy was done'),
      since_millis: maybe(integer('when the service first saw this version of the source')),
    }),
  ),
  overrides_refused: maybe(
    byName(
      Type.String(),
      'transient settings that the cluster did not take, with its reasons: the copy goes on without',
    ),
  ),
  target_prepared: truth('overrides applied, fences and commit token made'),
  target_restored: truth("the operator's transient settings are back"),
  target_ready_deadline_millis: maybe(Type.Integer()),
  block_near_since_millis: maybe(
    integer('the target was green and refreshed then: only gaps keep the write block away'),
  ),
  ...cutoverFields,
  write_block: maybe(WriteBlockSchema),
  final_seq_nos: byShard('max_seq_no of each source shard under the block'),
  target_at_swap: byShard('max_seq_no of each target shard at the swap: applications wrote what is above it'),
  commit_requested: truth('the commit may have been sent: only the token decides'),
  token_taken: truth('an abort holds the commit token: no swap can happen any more'),
  committed: truth('the alias points at the target: the migration can only complete'),
  source_copies: byShard('copies of each source shard that were active when the target was prepared'),
  copies_missing: maybe(text('which of them the source lacks after the end, and what to do')),
  seen_state: maybe(
    Type.Object(
      { cluster_uuid: Type.String(), term: Type.Integer(), version: Type.Integer() },
      { description: 'the newest cluster state that was seen by then: an older one is of the past' },
    ),
  ),
  guard_until_millis: maybe(integer('until then leftovers are looked for again')),
  obstacle: maybe(text('what the cluster refuses, for good as it seems, on the way out')),
  obstacle_since_millis: maybe(integer('there: the obstacle may pass, and is met on the way to the swap')),
  not_restored: maybe(text('settings of the target that were refused at the end, and what to do')),
});
export type StoredMigration = CamelStatic<typeof MigrationRecordSchema>;

/** What the cluster refuses during an abort, probably for good. */
interface Refusal {
  readonly reason: 'refused';
  readonly text: string;
}

/** What a migration waits for. */
export type Wait = Waiting | Refusal;

/** A migration as the service works with it: all its waits are one list, and its messages are composed on reading. */
export interface MigrationRecord extends Omit<
  StoredMigration,
  'errorMessage' | 'waitingFor' | 'heldUp' | 'obstacle' | 'obstacleSinceMillis'
> {
  readonly waits: readonly Wait[];
}

/** An administrator has cleared the migration. */
export type Clearing = NonNullable<MigrationRecord['clearings']>[number];

/** Held while a migration runs, one for its source and one for its target: the start's mutual exclusion. */
export const ClaimRecordSchema = Type.Object({
  kind: Type.Literal('claim'),
  schema_version: Type.Integer(),
  role: Type.Union([Type.Literal('source'), Type.Literal('target')]),
  index_name: Type.String(),
  key: Type.String(),
  migration_id: Type.String(),
  claimed_at_millis: Type.Integer(),
  start_id: maybe(text('random: by it a start knows its own claim, however its write was answered')),
});
export type ClaimRecord = CamelStatic<typeof ClaimRecordSchema>;

/** `aosc.*` settings as they were set; values are kept as the caller wrote them. */
export const SettingsRecordSchema = Type.Object({
  kind: Type.Literal('settings'),
  schema_version: Type.Integer(),
  persistent: byName(Type.String()),
  transient: byName(Type.String()),
});
export type SettingsRecord = CamelStatic<typeof SettingsRecordSchema>;

/** Which cluster and which Redis the service's processes work with: one record for all of them. */
export const InstallationRecordSchema = Type.Object({
  kind: Type.Literal('installation'),
  schema_version: Type.Integer(),
  installation_id: text('random, made once'),
  cluster_uuid: text('of the cluster this record was written in'),
  redis_id: text('the Redis in use: random, written there too, and new when another takes its place'),
  renewed_at_millis: integer('changes every few seconds while a process lives'),
});
export type InstallationRecord = CamelStatic<typeof InstallationRecordSchema>;
