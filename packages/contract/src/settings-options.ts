import { type CamelStatic, fromWire } from './case';
import { CutoverWindowSchema } from './cutover-options';
import type { MigrationOptionsWire, ResolvedOptionsSchema } from './migration-options';
import type { Settings } from './settings-resolve';

export type ResolvedOptions = CamelStatic<typeof ResolvedOptionsSchema>;

/**
 * Fills in what a start request left open: request over cluster setting over default. It replaces
 * `transient_target_settings` as a whole (`{}`: none) and never merges it; an empty `validation_query` is none.
 */
export function resolveOptions(
  request: MigrationOptionsWire | undefined,
  settings: Settings,
): ResolvedOptions {
  const options = request ?? {};
  const query = options.validation_query;
  const { cutover, cutover_not_before: cutoverNotBefore, cutover_windows: windows } = options;
  const { on_document_error: onDocumentError, max_documents_set_aside: maxDocumentsSetAside } = options;
  const { merge_before_replicas: mergeBeforeReplicas } = options;
  return {
    convergenceThresholdPerShard:
      options.convergence_threshold_per_shard ?? settings.defaults.convergenceThreshold,
    maxConvergenceRoundsPerShard:
      options.max_convergence_rounds_per_shard ?? settings.defaults.maxConvergenceRounds,
    docCountTolerance: options.doc_count_tolerance ?? 0,
    ...(query === undefined || Object.keys(query).length === 0 ? {} : { validationQuery: query }),
    acceptDataLossIfCustomRoutingIsUsed: options.accept_data_loss_if_custom_routing_is_used ?? false,
    createAlias: options.create_alias ?? false,
    failOnMappingDrift: options.fail_on_mapping_drift ?? false,
    targetReadyTimeoutSeconds:
      options.target_ready_timeout_seconds ?? Math.ceil(settings.target.readyTimeoutMs / 1000),
    removeSourceWriteBlockOnSuccess:
      options.remove_source_write_block_on_success ?? settings.defaults.removeSourceWriteBlockOnSuccess,
    transientTargetSettings: options.transient_target_settings ?? settings.defaults.transientTargetSettings,
    ...(cutover !== undefined && { cutover }),
    ...(cutoverNotBefore !== undefined && { cutoverNotBefore }),
    ...(options.max_pause_ms !== undefined && { maxPauseMs: options.max_pause_ms }),
    ...(options.max_cutover_attempts !== undefined && { maxCutoverAttempts: options.max_cutover_attempts }),
    ...(windows !== undefined && {
      cutoverWindows: windows.map((window) => fromWire(CutoverWindowSchema, window)),
    }),
    ...(options.copy !== undefined && { copy: options.copy }),
    ...(mergeBeforeReplicas !== undefined && { mergeBeforeReplicas }),
    ...(options.verify !== undefined && { verify: options.verify }),
    ...(options.rehearse === true && { rehearse: true, verify: 'content' }),
    ...(onDocumentError !== undefined && { onDocumentError }),
    ...(maxDocumentsSetAside !== undefined && { maxDocumentsSetAside }),
  };
}
