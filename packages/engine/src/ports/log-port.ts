/** What happened, as people search for it; the process's logger knows every one of them. */
export const engineEvents = [
  'abort_too_late',
  'alias_moved_on',
  'aliases_left',
  'all_converged',
  'backfill_complete',
  'backfill_moved',
  'backfill_progress',
  'backfill_start',
  'catchup_complete',
  'close_failed',
  'contested_checked',
  'convergence_signalled',
  'copies_back',
  'copies_missing',
  'copy_incomplete',
  'gaps_too_large',
  'cutover_complete',
  'doc_count_validation',
  'documents_met',
  'documents_met_themselves',
  'drain_by_time',
  'fence_opened',
  'heartbeat_failed',
  'job_gives_up',
  'lease_acquired',
  'migration_cancelled',
  'migration_completed',
  'migration_failed',
  'migration_failing',
  'node_awaited',
  'node_given_up',
  'overload',
  'owner_replaced',
  'phase_transition_coordinator',
  'read_retry',
  'replicas_lag',
  'reroute_failed',
  'reroute_forbidden',
  'round_complete',
  'settings_late',
  'settings_not_restored',
  'shard_failed',
  'shard_lost',
  'shard_taken_over',
  'snapshot_given_up',
  'snapshot_lost',
  'step_failed',
  'step_refused',
  'stray_write',
  'sweep_complete',
  'target_prepared',
  'target_restored',
  'waiting',
  'waiting_over',
  'workers_unknown',
  'write_block_confirmed',
  'write_block_draining',
  'write_block_late',
  'write_block_unwritten',
  'users_block_lifted',
  'write_block_lifted',
] as const;
export type EngineEvent = (typeof engineEvents)[number];

/** Structured events; the adapter adds process, level and time. Values never hold document contents. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export interface LogPort {
  info(event: EngineEvent, message: string, fields?: LogFields): void;
  warn(event: EngineEvent, message: string, fields?: LogFields): void;
  error(event: EngineEvent, message: string, error: unknown, fields?: LogFields): void;
  debug(event: EngineEvent, message: string, fields?: LogFields): void;
}

/** The same log, with these fields in every line. */
export function withFields(log: LogPort, own: LogFields): LogPort {
  return {
    info: (event, message, fields) => log.info(event, message, { ...own, ...fields }),
    warn: (event, message, fields) => log.warn(event, message, { ...own, ...fields }),
    error: (event, message, error, fields) => log.error(event, message, error, { ...own, ...fields }),
    debug: (event, message, fields) => log.debug(event, message, { ...own, ...fields }),
  };
}
