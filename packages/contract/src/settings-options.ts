import { type CamelStatic, fromWire } from './case';
import {
  MigrationOptionsSchema,
  type MigrationOptionsWire,
  type ResolvedOptionsSchema,
} from './migration-options';
import type { Settings } from './settings-resolve';

export type ResolvedOptions = CamelStatic<typeof ResolvedOptionsSchema>;

/**
 * Fills in what a start request left open: request over cluster setting over default. It replaces
 * `transient_target_settings` as a whole (`{}`: none) and never merges it; an empty `validation_query` is none.
 */
export function resolveOptions(
  request: MigrationOptionsWire | undefined,
  { defaults, target }: Settings,
): ResolvedOptions {
  const { rehearse, validationQuery: query = {}, ...given } = fromWire(MigrationOptionsSchema, request ?? {});
  return {
    docCountTolerance: 0,
    acceptDataLossIfCustomRoutingIsUsed: false,
    createAlias: false,
    failOnMappingDrift: false,
    targetReadyTimeoutSeconds: Math.ceil(target.readyTimeoutMs / 1000),
    removeSourceWriteBlockOnSuccess: defaults.removeSourceWriteBlockOnSuccess,
    transientTargetSettings: defaults.transientTargetSettings,
    convergenceThresholdPerShard: defaults.convergenceThreshold,
    maxConvergenceRoundsPerShard: defaults.maxConvergenceRounds,
    ...given,
    ...(Object.keys(query).length > 0 && { validationQuery: query }),
    ...(rehearse === true && { rehearse, verify: 'content' }),
  };
}
