import type { MigrationRecord } from '@aosc/contract';

/** The reason of the end stays the first that is read. */
export function withNote(record: MigrationRecord, note: string | undefined): MigrationRecord {
  if (note === undefined) return record;
  const { errorMessage } = record;
  return { ...record, errorMessage: errorMessage === undefined ? note : `${errorMessage}; ${note}` };
}

/** Named in the reason of the end, and kept apart, so that it can go when the guard has had more luck. */
export function withNotRestored(record: MigrationRecord, note: string | undefined): MigrationRecord {
  return note === undefined ? record : { ...withNote(record, note), notRestored: note };
}
