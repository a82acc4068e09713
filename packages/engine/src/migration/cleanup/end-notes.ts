import type { MigrationPhase } from '@aosc/contract';
import type { MigrationIn } from '@aosc/domain';

/** The reason of the end stays the first that is read. */
export function withNote<P extends MigrationPhase>(
  record: MigrationIn<P>,
  note: string | undefined,
): MigrationIn<P> {
  if (note === undefined) return record;
  const { errorMessage } = record;
  return { ...record, errorMessage: errorMessage === undefined ? note : `${errorMessage}; ${note}` };
}

/** Named in the reason of the end, and kept apart, so that it can go when the guard has had more luck. */
export function withNotRestored<P extends MigrationPhase>(
  record: MigrationIn<P>,
  note: string | undefined,
): MigrationIn<P> {
  return note === undefined ? record : { ...withNote(record, note), notRestored: note };
}
