import { summarizeWrites } from './applications';
import type { WriteRun } from './results';

const run = (condition: WriteRun['condition'], round: number, done: number): WriteRun => ({
  condition,
  round,
  seconds: 10,
  offered: 5000,
  done,
  refused: round,
  longestPauseMs: 100 * round,
  documentsCopied: condition === 'quiet' ? 0 : 2000,
});

test('what the writers got is held against what they offered', () => {
  const {
    quiet,
    low_impact: low,
    high_throughput: high,
  } = summarizeWrites([
    ...[run('quiet', 1, 5000), run('low_impact', 1, 4500), run('high_throughput', 1, 1000)],
    ...[run('low_impact', 2, 4000), run('high_throughput', 2, 2000), run('quiet', 2, 5000)],
  ]);
  expect(quiet.share).toEqual({ median: 1, least: 1, most: 1 });
  expect(low.share).toMatchObject({ least: 0.8, most: 0.9 });
  expect(low.share.median).toBeCloseTo(0.85);
  expect(high).toMatchObject({
    donePerSecond: { median: 150, least: 100, most: 200 },
    refused: 3,
    longestPauseMs: 200,
    documentsCopiedPerSecond: 200,
  });
});

test('a condition that was not measured has no figures', () => {
  expect(() => summarizeWrites([run('quiet', 1, 1)])).toThrow('nothing was measured');
});
