import type { MigrationRecord } from '@aosc/contract';
import type { CoordinatorContext } from './context';

/** To be called by the process whose write has ended the migration, and by no other: each end counts once. */
export function countEnd(
  { metrics }: Pick<CoordinatorContext, 'metrics'>,
  { phase }: Pick<MigrationRecord, 'phase'>,
): void {
  if (phase === 'COMPLETED' || phase === 'CANCELLED' || phase === 'FAILED') metrics.migrationEnded(phase);
}
