import type { Writers, WriterStats } from '@aosc/testkit';
import { countWrites } from './order-writers';

const empty: WriterStats = {
  operations: 0,
  inserts: 0,
  updates: 0,
  deletes: 0,
  recreations: 0,
  reroutes: 0,
  moves: 0,
  blockedRetries: 0,
  otherRetries: 0,
  unknownOutcomes: 0,
  longestPauseMs: 0,
  errors: 0,
  violations: 0,
  problems: [],
  operationsByIndex: {},
};

/** Only what `countWrites` looks at. */
function createWriters(stats: readonly Partial<WriterStats>[]): Pick<Writers, 'stats'> {
  let at = 0;
  return { stats: () => ({ ...empty, ...stats[Math.min(at++, stats.length - 1)] }) };
}

test('what was written before does not count', async () => {
  const writers = createWriters([
    { operations: 100, otherRetries: 3, blockedRetries: 1 },
    { operations: 250, otherRetries: 5, blockedRetries: 2, longestPauseMs: 70 },
  ]);
  const { result, written } = await countWrites(writers, () => Promise.resolve('ended'));
  expect(result).toBe('ended');
  expect(written).toMatchObject({ done: 150, refused: 3, longestPauseMs: 70 });
});

test('a write that was lost ends the measurement', async () => {
  const writers = createWriters([{}, { violations: 1, problems: ['order-1 is gone'] }]);
  await expect(countWrites(writers, () => Promise.resolve())).rejects.toThrow('order-1 is gone');
});
