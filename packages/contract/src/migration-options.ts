import { Type, type Static } from '@sinclair/typebox';

/**
 * Options of a start request (contract, section 2). Ranges that depend on a cluster setting are the
 * setting's own (`settings-table.ts`); the ones below are the contract's fixed limits.
 */
export const MigrationOptionsSchema = Type.Object(
  {
    convergence_threshold_per_shard: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
    max_convergence_rounds_per_shard: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
    doc_count_tolerance: Type.Optional(Type.Integer({ minimum: 0 })),
    validation_query: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    accept_data_loss_if_custom_routing_is_used: Type.Optional(Type.Boolean()),
    target_ready_timeout_seconds: Type.Optional(Type.Integer({ minimum: 60 })),
    remove_source_write_block_on_success: Type.Optional(Type.Boolean()),
    transient_target_settings: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
    ),
  },
  { additionalProperties: false },
);
export type MigrationOptionsWire = Static<typeof MigrationOptionsSchema>;

/** Options after the cluster's defaults were filled in: what the record keeps and status shows. */
export const ResolvedOptionsSchema = Type.Object({
  convergence_threshold_per_shard: Type.Integer(),
  max_convergence_rounds_per_shard: Type.Integer(),
  doc_count_tolerance: Type.Integer(),
  validation_query: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  accept_data_loss_if_custom_routing_is_used: Type.Boolean(),
  target_ready_timeout_seconds: Type.Integer(),
  remove_source_write_block_on_success: Type.Boolean(),
  transient_target_settings: Type.Record(
    Type.String(),
    Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]),
  ),
});

export const TransformScriptSchema = Type.Object(
  {
    type: Type.Union([Type.Literal('inline'), Type.Literal('stored')]),
    source: Type.Optional(Type.String()),
    id: Type.Optional(Type.String()),
    params: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    script_context: Type.Optional(Type.String()),
    apply_to_deletes: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);

export const StartRequestSchema = Type.Object(
  {
    target_index: Type.Optional(Type.String()),
    alias: Type.Optional(Type.String()),
    transform_script: Type.Optional(TransformScriptSchema),
    options: Type.Optional(MigrationOptionsSchema),
    source_index: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: false },
);
export type StartRequestWire = Static<typeof StartRequestSchema>;
