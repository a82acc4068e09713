import { type ListItem, type MigrationRecord, type ShardPhase, shardPhases } from '@aosc/contract';
import { describeEnd, isTerminalPhase } from '@aosc/domain';
import { errorMessageOf } from './error-message';

/** @param counts how many shards are in which phase; phases come out in the order a shard goes through them */
export function toListItem(
  migration: MigrationRecord,
  counts: Readonly<Partial<Record<ShardPhase, number>>>,
): ListItem {
  const byPhase = shardPhases
    .map((phase) => [phase, counts[phase] ?? 0] as const)
    .filter(([, count]) => count > 0);
  const { startTimeMillis, lastUpdatedMillis } = migration;
  const errorMessage = errorMessageOf(migration);
  const error = errorMessage === undefined ? {} : { error_message: errorMessage };
  return {
    migration_id: migration.migrationId,
    source_index: migration.sourceIndex,
    target_index: migration.targetIndex,
    alias: migration.alias,
    phase: migration.phase,
    start_time_millis: startTimeMillis,
    last_updated_millis: lastUpdatedMillis,
    ...error,
    shards_by_phase: Object.fromEntries(byPhase),
    ...cutoverOf(migration),
    is_terminal: isTerminalPhase(migration.phase),
    shard_count: byPhase.reduce((sum, [, count]) => sum + count, 0),
    elapsed_seconds: Math.max(0, Math.floor((lastUpdatedMillis - startTimeMillis) / 1000)),
  };
}

function cutoverOf(migration: MigrationRecord): Pick<ListItem, 'cutover'> {
  const { cutoverContext, lastUpdatedMillis } = migration;
  if (cutoverContext === undefined) return {};
  const end = cutoverContext.cutoverEndMillis ?? lastUpdatedMillis;
  const errorMessage = describeEnd(migration);
  return {
    cutover: {
      doc_count_validation_passed: cutoverContext.docCountValidationPassed,
      alias_swap_succeeded: cutoverContext.aliasSwapSucceeded,
      duration_millis: Math.max(0, end - cutoverContext.cutoverStartMillis),
      ...(errorMessage === undefined ? {} : { error_message: errorMessage }),
    },
  };
}
