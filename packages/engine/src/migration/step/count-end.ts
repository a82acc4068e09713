import type { MigrationRecord } from '@aosc/contract';
import type { CoordinatorContext } from './context';

/** The process whose write has ended the migration calls this, and no other: each end counts once. */
export function countEnd(
  { metrics }: Pick<CoordinatorContext, 'metrics'>,
  { phase }: Pick<MigrationRecord, 'phase'>,
): void {
  if (phase === 'COMPLETED' || phase === 'CANCELLED' || phase === 'FAILED') metrics.migrationEnded(phase);
}
