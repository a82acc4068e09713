import type { MigrationPhase, Verification } from '@aosc/client';
import { hasEnded } from '../../explain/phase-names';

/**
 * Whether there may be more to see: the service itself begins a verification at the end of the copy, and its passes go
 * on until the migration ends.
 * @param found null: there is none yet
 */
export const awaitsMore = (
  phase: MigrationPhase,
  found: Pick<Verification, 'state'> | null | undefined,
): boolean => !hasEnded(phase) || found?.state === 'running';
