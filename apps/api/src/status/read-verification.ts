import { AoscError, type MigrationRecord, type VerificationAnswer } from '@aosc/contract';
import { certificateOf } from '@aosc/domain';
import type { Call } from '@aosc/engine';
import type { MigrationStore } from '@aosc/store';

/** The newest verification of a migration. @throws AoscError not_found when none was asked for */
export async function readVerification(
  store: Pick<MigrationStore, 'readVerification'>,
  migration: MigrationRecord,
  call: Call,
): Promise<VerificationAnswer> {
  const stored = await store.readVerification(migration.key, call);
  if (stored !== undefined) return certificateOf(migration, stored.record);
  throw new AoscError(
    'not_found',
    `The migration of [${migration.sourceIndex}] was not verified; POST _verify begins it`,
  );
}
