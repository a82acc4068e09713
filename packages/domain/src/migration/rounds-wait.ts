import type { MigrationRecord } from '@aosc/contract';

const firstMs = 10_000;
const longestMs = 600_000;

/**
 * How long CUTTING_OVER waits for running rounds, in milliseconds, before the shards that are idle meanwhile go on
 * replaying. A round usually takes a fraction of a second. Each attempt waits twice as long as the one before it: with
 * equal times, rounds that all take longer would keep every attempt from reaching the write block.
 */
export function roundsWaitMs({ transitionHistory }: Pick<MigrationRecord, 'transitionHistory'>): number {
  const attempts = transitionHistory.filter(({ phase }) => phase === 'CUTTING_OVER').length;
  return Math.min(firstMs * 2 ** Math.max(0, attempts - 1), longestMs);
}
