import type { MigrationRecord } from '@aosc/contract';
import { comparability } from '@aosc/domain';
import { type VerifyContext, VerificationFailedError, VerificationInterruptedError } from './context';

/**
 * Reads the migration as it is now.
 * @throws VerificationInterruptedError in the cutover; VerificationFailedError when there is nothing to compare any more
 */
export async function readCurrent(
  { store, migration }: Pick<VerifyContext, 'store' | 'migration'>,
  signal: AbortSignal,
): Promise<MigrationRecord> {
  const stored = await store.readMigration(migration.key, { signal });
  if (stored === undefined) throw new VerificationFailedError('the record of the migration is gone');
  const verdict = comparability(stored.record);
  if (verdict === 'now') return stored.record;
  if (verdict === 'later') throw new VerificationInterruptedError(`the migration is ${stored.record.phase}`);
  throw new VerificationFailedError(verdict.never);
}
