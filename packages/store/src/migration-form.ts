import type { MigrationRecord, StoredMigration, Wait } from '@aosc/contract';
import { describeEnd, findRefusal, findWaiting, readEndMessage } from '@aosc/domain';

/**
 * The stored form of a migration. When an older version writes a record, it drops the fields that it does not know. So
 * this version also writes the fields that older versions know, and reads these older fields when its own are gone.
 */
export function migrationToStored(migration: MigrationRecord): StoredMigration {
  const { waits: _separately, ...record } = migration;
  const errorMessage = describeEnd(migration);
  const waitingFor = findWaiting(migration, 'owners');
  const heldUp = findWaiting(migration, 'cutover');
  const trouble = findWaiting(migration, 'steps');
  const obstacle = trouble?.text ?? findRefusal(migration);
  return {
    ...record,
    ...(errorMessage !== undefined && { errorMessage }),
    ...(waitingFor !== undefined && { waitingFor }),
    ...(heldUp !== undefined && { heldUp }),
    ...(obstacle !== undefined && { obstacle }),
    ...(trouble !== undefined && { obstacleSinceMillis: trouble.sinceMillis }),
  };
}

/** The inverse of {@link migrationToStored}, also for records that an older version has written. */
export function migrationFromStored(stored: StoredMigration): MigrationRecord {
  const { errorMessage, waitingFor, heldUp, obstacle, obstacleSinceMillis: sinceMillis, ...record } = stored;
  const isKnown = record.reason !== undefined || record.clearings !== undefined;
  return {
    ...record,
    ...(errorMessage !== undefined && !isKnown && readEndMessage(errorMessage, record)),
    waits: [
      ...(waitingFor === undefined ? [] : [waitingFor]),
      ...(heldUp === undefined ? [] : [heldUp]),
      ...(obstacle === undefined ? [] : [readObstacle(obstacle, sinceMillis)]),
    ],
  };
}

function readObstacle(text: string, sinceMillis: number | undefined): Wait {
  return sinceMillis === undefined ? { reason: 'refused', text } : { reason: 'cluster', sinceMillis, text };
}
