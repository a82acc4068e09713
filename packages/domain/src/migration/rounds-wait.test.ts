import { roundsWaitMs } from './rounds-wait';

test.each([
  [1, 10_000],
  [2, 20_000],
  [4, 80_000],
  [7, 600_000],
  [50, 600_000],
])('in attempt %d, rounds have %d ms to end', (attempts, expected) => {
  const attempt = [
    { phase: 'PREPARING_TARGET', startTimeMillis: 1 },
    { phase: 'CUTTING_OVER', startTimeMillis: 1 },
  ] as const;
  expect(roundsWaitMs({ transitionHistory: Array.from({ length: attempts }, () => attempt).flat() })).toBe(
    expected,
  );
});
