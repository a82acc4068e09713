import type { MigrationRecord, ShardRecord } from '@aosc/contract';
import { isTerminalPhase } from '@aosc/domain';
import { toStatusDocument } from '../status/status-document';

/** What there is to clear: a running migration, or claims that an ended one has left. */
export interface Clearable {
  readonly running: boolean;
  readonly holdsClaims: boolean;
}

export function describeClearable(record: MigrationRecord, holdsClaims: boolean): Clearable {
  return { running: !isTerminalPhase(record.phase), holdsClaims };
}

/** The states before anything is done, and of a migration that could not be cleared. */
export function pendingStates({ running, holdsClaims }: Clearable) {
  return {
    cluster_state: running || holdsClaims ? 'would_clear' : 'not_found',
    active_migrations: running ? 'would_clear' : 'not_found',
    closed: false,
  } as const;
}

/**
 * The states after a real run. When the request said not to close a coordinator, its row says `not_found`, as in the
 * original.
 */
export function clearedStates({ running, holdsClaims }: Clearable, tryClose: boolean) {
  const closed = running && tryClose;
  return {
    cluster_state: running || holdsClaims ? 'cleared' : 'not_found',
    active_migrations: closed ? 'cleared' : 'not_found',
    closed,
  } as const;
}

/** The detailed form of a migration, with the names that the original gives to its fields. */
export function toEntry(migration: MigrationRecord, shards: readonly ShardRecord[]) {
  const status = toStatusDocument(migration, shards);
  const failure = (text: string | undefined) => (text === undefined ? {} : { failure: text });
  return {
    migration_id: status.migration_id,
    source_index: status.source_index,
    target_index: status.target_index,
    alias: status.alias,
    ...(status.transform_script === undefined ? {} : { transform_script: status.transform_script }),
    options: status.options,
    phase: status.phase,
    routing_mode: status.shard_routing_mode,
    delete_routing_strategy: status.delete_routing_strategy,
    start_time_millis: status.start_time_millis,
    shards: Object.fromEntries(
      Object.entries(status.shards).map(([number, shard]) => [
        number,
        {
          phase: shard.phase,
          last_replayed_seq_no: shard.last_replayed_seq_no,
          backfill_cutoff_seq_no: shard.backfill_cutoff_seq_no,
          ...failure(shard.error),
          meta: shard.meta,
        },
      ]),
    ),
    ...failure(status.error_message),
    meta: status.meta,
  };
}
