import type { MigrationPhase, Verification } from '@aosc/client';
import { hasEnded } from '../../explain/phase-names';

const pollMs = 2000;
/** While nothing is there to see, each question is an error in the browser's console. */
const rarePollMs = 30_000;

/**
 * When to ask again, as there may be more to see: the service itself begins a verification at the end of the copy, and
 * its passes go on until the migration ends.
 * @param found null: there is none yet
 * @returns false: never
 */
export function awaitsMore(
  phase: MigrationPhase,
  found: Pick<Verification, 'state'> | null | undefined,
  hasFailed: boolean,
): number | false {
  if (found?.state === 'running') return pollMs;
  if (hasFailed || (phase === 'ACTIVE' && found === null)) return rarePollMs;
  return hasEnded(phase) ? false : pollMs;
}
