import type { Rehearsal, ShardRecord, VerificationRecord } from '@aosc/contract';
import { averageCopyRate } from '../progress/migration-progress';
import { describeVerification } from '../verification/describe-verification';
import { allSetAside } from '../set-aside/summary';
import { differencesIn } from '../verification/findings';
import { type MigrationIn, moveMigration } from './transitions';

/**
 * Ends a rehearsal with what it has found.
 * @param verification that has ended
 * @param pauseMs how long writes would have waited or been refused; undefined: no round was measured
 */
export function concludeRehearsal(
  record: MigrationIn<'PREPARING_TARGET'>,
  shards: readonly ShardRecord[],
  verification: VerificationRecord,
  { pauseMs, nowMillis }: { readonly pauseMs: number | undefined; readonly nowMillis: number },
): MigrationIn<'CANCELLING'> {
  const { phase, counts, documentsCompared, startedAtMillis, endedAtMillis = nowMillis } = verification;
  // The verification counts a document as missing if it was set aside by then. More may have been set aside since.
  const setAside = allSetAside(shards).length;
  const differences = Math.max(differencesIn(counts), setAside);
  const documents = shards.reduce((sum, { backfill }) => sum + (backfill?.documentsIndexed ?? 0), 0);
  const rate = averageCopyRate(shards) ?? 0;
  const rehearsal: Rehearsal = {
    ...record.rehearsal,
    outcome: phase === 'failed' ? 'not_verified' : differences > 0 ? 'different' : 'exact',
    differences,
    documentsVerified: documentsCompared,
    verifiedMs: Math.max(0, endedAtMillis - startedAtMillis),
    found: {
      documents,
      ...(rate > 0 && { seconds: Math.ceil(documents / rate) }),
      ...(pauseMs !== undefined && { pauseMs }),
    },
  };
  const found =
    describeVerification(verification, 'Put that right, and rehearse again') ??
    (setAside > 0
      ? `the target refuses documents, which are set aside (${setAside})`
      : `${documentsCompared} documents were verified without a difference`);
  return {
    ...moveMigration(record, 'CANCELLING', nowMillis),
    rehearsal,
    reason: `rehearsed, so the alias [${record.alias}] stays where it is: ${found}`,
  };
}
