import type { MigrationRecord } from '@aosc/contract';

type Blocking = Pick<MigrationRecord, 'migrationId' | 'sourceUuid' | 'startTimeMillis' | 'writeBlock'>;

/**
 * The newest migration that has blocked this very index and has not lifted its block.
 * @param own has just been read by its id
 * @param found by a search, which may show a record as it was a second ago, `own` included
 * @param uuid of the index
 * @returns the id of the migration
 */
export function findBlocker(own: Blocking, found: readonly Blocking[], uuid: string): string | undefined {
  const others = found.filter(({ migrationId }) => migrationId !== own.migrationId);
  const newestFirst = [own, ...others].toSorted((a, b) => b.startTimeMillis - a.startTimeMillis);
  return newestFirst.find(
    ({ sourceUuid, writeBlock }) =>
      sourceUuid === uuid && writeBlock !== undefined && !writeBlock.usersOwn && !writeBlock.lifted,
  )?.migrationId;
}
