import { Type, type Static } from '@sinclair/typebox';
import { byName, maybe, off, oneOf, truth } from './shapes';
import { CreateTargetRequestSchema } from './create-target';
import { cutoverOptions } from './cutover-options';
import { setAsideOptions } from './set-aside';

/**
 * Index settings by name, each a plain value. The explicit pattern is needed: TypeBox's own for any name (`^(.*)$`)
 * leaves out names with line breaks, whose values would go unchecked.
 */
export const IndexSettingsSchema = Type.Record(
  Type.String({ pattern: '^[\\s\\S]*$' }),
  Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]),
);

/**
 * How the target gets the documents: each is read and written, or the target is made of the source's files and only what
 * changes meanwhile is written. `auto`: files, wherever they are possible.
 */
const CopySchema = (description: string) => oneOf(['documents', 'files', 'auto'], description);

/** What a cutover needs: counts that agree, or also a verification of every document without a difference. */
const VerifySchema = (description: string) => oneOf(['count', 'content'], description);

/** The wait is kept in milliseconds, exactly. */
const maxReadyTimeoutSeconds = Math.floor(Number.MAX_SAFE_INTEGER / 1000);

/**
 * Options of a start request (contract, section 2). Ranges that depend on a cluster setting are the
 * setting's own (`settings-table.ts`); the ones below are the contract's fixed limits.
 */
export const MigrationOptionsSchema = Type.Object(
  {
    convergence_threshold_per_shard: maybe(
      Type.Integer({
        minimum: 0,
        maximum: 1_000_000,
        description:
          'Operations left to replay at which a shard counts as converged. Default: the setting aosc.defaults.convergence_threshold.',
      }),
    ),
    max_convergence_rounds_per_shard: maybe(
      Type.Integer({
        minimum: 1,
        maximum: 100_000,
        description:
          'Replay rounds before a shard gives up. Default: the setting aosc.defaults.max_convergence_rounds.',
      }),
    ),
    doc_count_tolerance: maybe(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        default: 0,
        description: 'Difference of the document counts of source and target that the cutover accepts.',
      }),
    ),
    validation_query: maybe(
      byName(
        Type.Unknown(),
        'Query DSL that filters the counts compared at the cutover. Default: all documents.',
      ),
    ),
    accept_data_loss_if_custom_routing_is_used: maybe(off('Must be true when the routing mode is BULK_API.')),
    create_alias: maybe(
      off(
        'Lets the swap create an alias that is not on the source. Applications that use another name stay on the source, which takes no writes then.',
      ),
    ),
    fail_on_mapping_drift: maybe(
      off(
        'Ends the migration before the cutover when the mappings of source and target have drifted apart (mapping_drift). Otherwise the status only shows the drift.',
      ),
    ),
    target_ready_timeout_seconds: maybe(
      Type.Integer({
        minimum: 60,
        maximum: maxReadyTimeoutSeconds,
        description:
          'Longest wait for the target to become green. Default: the setting aosc.target.ready_timeout.',
      }),
    ),
    remove_source_write_block_on_success: maybe(
      truth(
        'Lift the write block of the source after the cutover. Default: the setting aosc.defaults.remove_source_write_block_on_success.',
      ),
    ),
    transient_target_settings: maybe(
      Type.Unsafe<Static<typeof IndexSettingsSchema>>({
        ...IndexSettingsSchema,
        description:
          'Settings of the target while it is filled; names start with "index.". {}: none. Default: the setting aosc.defaults.transient_target_settings.',
      }),
    ),
    copy: maybe(
      CopySchema(
        'documents: each is read and written. files: the start makes the target of the files of the source, see create_target. auto: files where they are possible, else documents. Default: documents.',
      ),
    ),
    merge_before_replicas: maybe(
      Type.Boolean({
        default: true,
        description:
          'Of a target that is split from files: the documents of sibling shards are merged away before replicas are made, which would copy them. false: merges are left to the cluster.',
      }),
    ),
    verify: maybe(
      VerifySchema(
        'count: the cutover needs counts that agree. content: it begins only after a verification of every document without a difference. Default: count.',
      ),
    ),
    rehearse: maybe(
      truth(
        'Copies and verifies every document (verify is content), and ends as CANCELLED where the cutover would begin: no write waits or is refused, and no alias moves. `rehearsal` of the status says what was found. Default: false.',
      ),
    ),
    ...setAsideOptions,
    ...cutoverOptions,
  },
  { additionalProperties: false },
);
export type MigrationOptionsWire = Static<typeof MigrationOptionsSchema>;

/** Options after the cluster's defaults were filled in: the record keeps them and the status shows them. */
export const ResolvedOptionsSchema = Type.Object({
  convergence_threshold_per_shard: Type.Integer(),
  max_convergence_rounds_per_shard: Type.Integer(),
  doc_count_tolerance: Type.Integer(),
  validation_query: maybe(byName(Type.Unknown())),
  accept_data_loss_if_custom_routing_is_used: Type.Boolean(),
  create_alias: maybe(
    truth(
      'The status shows it where a start asked for it. A record without it is of a version that did not know it.',
    ),
  ),
  fail_on_mapping_drift: maybe(truth('absent: started by a version that did not know it')),
  target_ready_timeout_seconds: Type.Integer(),
  remove_source_write_block_on_success: Type.Boolean(),
  transient_target_settings: IndexSettingsSchema,
  copy: maybe(CopySchema('absent: the start did not say, and documents are copied')),
  merge_before_replicas: maybe(truth('absent: the start did not say, and it is true')),
  verify: maybe(VerifySchema('absent: the start did not say, and counts are compared')),
  rehearse: maybe(truth('absent: false')),
  ...setAsideOptions,
  ...cutoverOptions,
});

export const TransformScriptSchema = Type.Object(
  {
    type: Type.Union([Type.Literal('inline'), Type.Literal('stored')]),
    source: maybe(Type.String()),
    id: maybe(Type.String()),
    params: maybe(byName(Type.Unknown())),
    script_context: maybe(Type.String()),
    apply_to_deletes: maybe(Type.Boolean()),
  },
  { additionalProperties: false },
);

export const StartRequestSchema = Type.Object(
  {
    target_index: maybe(Type.String()),
    alias: maybe(Type.String()),
    transform_script: maybe(TransformScriptSchema),
    options: maybe(MigrationOptionsSchema),
    create_target: maybe(
      Type.Omit(CreateTargetRequestSchema, ['target_index'], {
        additionalProperties: false,
        description:
          'For options.copy files or auto: what of the target differs from the source. The target must not exist.',
      }),
    ),
    plan: maybe(
      Type.String({
        maxLength: 200,
        description:
          'plan_id of a _plan: the start is refused when anything that the plan saw has changed since.',
      }),
    ),
    source_index: maybe(Type.Unknown()),
  },
  { additionalProperties: false },
);
export type StartRequestWire = Static<typeof StartRequestSchema>;
