import type { MigrationRecord } from '@aosc/contract';

/** In the `error_message` of a migration that an administrator has cleared. */
export const clearedNote = 'cleared by an administrator (_clear_state)';

/** With `try_close=false` its snapshots were left on purpose, to `_cleanup_leases`; otherwise they are closed. */
export function wasCleared({ errorMessage }: MigrationRecord): boolean {
  return errorMessage?.includes(clearedNote) ?? false;
}
