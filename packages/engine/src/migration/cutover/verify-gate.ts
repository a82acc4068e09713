import type { MigrationRecord, VerificationRecord } from '@aosc/contract';
import { describeVerification, newVerification } from '@aosc/domain';
import { unlessConflict } from '../../ports/compare-and-set';
import type { StepContext } from '../step/context';

/**
 * With options.verify content the cutover begins only after a verification of everything without a difference. The first look
 * begins one. A person who has put right what it found begins the next.
 * @returns what the cutover waits for; undefined: nothing
 */
export async function findUnverified(
  { store, clock, signal }: StepContext,
  { key, options }: MigrationRecord,
): Promise<string | undefined> {
  if (options.verify !== 'content') return undefined;
  const found = await store.readVerification(key, { signal });
  const record: VerificationRecord = found?.record ?? newVerification(key, clock.now());
  // On a conflict a person has just begun one.
  if (found === undefined)
    await unlessConflict(() => store.replaceVerification(undefined, record, { signal }));
  return describeVerification(record);
}
