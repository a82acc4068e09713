import type { MigrationRecord } from '@aosc/contract';
import type { Mismatches } from '@aosc/testkit';
import { describeMismatches, mismatchKinds } from '@aosc/testkit';
import { mayBeBlocked } from './fault';
import type { Plan } from './plan';
import { probeId } from './probe';

const overdue = /lasted longer than \d+ ms/;
/** The service says so itself: see "stray writes" in docs/how-it-stays-exact.md. */
export const strayWrites = /was written to after the swap/;

/**
 * Whether the migration may have ended as it has.
 * @param struck the record right before the fault
 * @returns what is wrong with it
 */
export function judgeEnd(
  { fault }: Plan,
  struck: MigrationRecord,
  { phase, errorMessage = '' }: MigrationRecord,
): string | undefined {
  const asked = { CANCELLING: 'CANCELLED', FAILING: 'FAILED' } as Partial<Record<string, string>>;
  const decided = asked[struck.phase];
  // A swap that is on its way when the end is asked for can be faster.
  if (decided !== undefined) {
    return phase === decided || (phase === 'COMPLETED' && mayBeBlocked(struck))
      ? undefined
      : `${struck.phase} ended ${phase}: ${errorMessage}`;
  }
  if (phase === 'COMPLETED') {
    return fault.demand === 'safe' && !struck.committed ? 'COMPLETED in spite of it' : undefined;
  }
  if (phase === 'FAILED' && (fault.demand !== 'exact' || overdue.test(errorMessage))) return undefined;
  return `${phase}: ${errorMessage}`;
}

/** Mismatches but for the probe's own document, which is written to on both sides of the swap. */
export function describeWrong(mismatches: Mismatches): readonly string[] {
  const wrong = mismatchKinds.flatMap((kind) => mismatches[kind].samples);
  const other = wrong.filter(({ id }) => id !== probeId);
  if (other.length === 0 && mismatches.total <= 1) return [];
  return [`${mismatches.total} documents differ`, ...describeMismatches(mismatches)];
}
