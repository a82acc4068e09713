import type { MigrationRecord } from '@aosc/contract';

const firstMs = 10_000;
const longestMs = 600_000;

/**
 * How long CUTTING_OVER waits for the rounds that run, in milliseconds, before the shards that are idle meanwhile go on
 * replaying. A round takes a fraction of a second as a rule. Where all of them take longer, no attempt would ever come
 * to the write block if each had the same time: the next one has twice as long.
 */
export function roundsWaitMs({ transitionHistory }: Pick<MigrationRecord, 'transitionHistory'>): number {
  const attempts = transitionHistory.filter(({ phase }) => phase === 'CUTTING_OVER').length;
  return Math.min(firstMs * 2 ** Math.max(0, attempts - 1), longestMs);
}
