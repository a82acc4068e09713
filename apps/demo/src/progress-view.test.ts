import { createStatus } from './__tests__/create-status';
import { describePhases, group, renderProgress, renderProgressLine, sumCounters } from './progress-view';

const context = {
  documentsByShard: { '0': 1_000, '1': 1_000 },
  nowMillis: 5_000,
  writers: { operations: 1_234, longestPauseMs: 12 },
};

test('counters of all shards and stages are added up; the gap is that of each last stage', () => {
  expect(sumCounters(createStatus(), 5_000)).toEqual({
    documents: 1_500,
    documentsPerSecond: 500,
    operations: 42,
    deletes: 5,
    gap: 30,
  });
});

test('the rate counts up to the end of the copy, not to now', () => {
  const { shards } = createStatus();
  const done = createStatus({ shards: { '1': shards['1'] ?? { phase: 'CONVERGED' } } });
  expect(sumCounters(done, 60_000).documentsPerSecond).toBe(1_000);
});

test('phases, bars, totals and writers', () => {
  expect(renderProgress(createStatus(), context)).toEqual([
    'a -> b  SPLIT_SHARD  4.0 s',
    '[ACTIVE] . . . . .',
    `shard  0 [${'#'.repeat(15)}${'-'.repeat(15)}]  50%        500 docs  BACKFILLING     gap 0`,
    `shard  1 [${'#'.repeat(30)}] 100%      1,000 docs  CONVERGING      gap 30`,
    'copied 1,500 documents, 500 docs/s   replayed 42 operations   gap 30',
    'writers: 1,234 operations acknowledged, longest pause 12 ms',
  ]);
});

test('shards stand in the order of their numbers, with their error', () => {
  const shards = Object.fromEntries(
    Array.from({ length: 11 }, (_, n) => [String(10 - n), { phase: 'PENDING' }]),
  );
  const failed = createStatus({
    phase: 'FAILED',
    shards: { ...shards, '3': { phase: 'FAILED', error: 'mapping' } },
  });
  const lines = renderProgress(failed, context);
  expect(lines[1]).toBe('FAILED');
  expect(lines.slice(2, 13).map((line) => line.slice(6, 8).trim())).toEqual(
    Array.from({ length: 11 }, (_, n) => String(n)),
  );
  expect(lines[5]).toMatch(/FAILED .* mapping$/);
});

test('a migration that has just begun, without counters', () => {
  const status = createStatus({ shards: { '0': { phase: 'PENDING' } } });
  expect(renderProgress(status, { ...context, documentsByShard: {} })[2]).toMatch(/\[-+\] {3}0%/);
  expect(renderProgressLine(status, context)).toBe(
    '4.0 s ACTIVE [1 PENDING] copied=0 docs/s=0 replayed=0 gap=0',
  );
});

test('phases in short show when something has moved on', () => {
  expect(describePhases(createStatus())).toBe('ACTIVE [1 BACKFILLING, 1 CONVERGING]');
});

test('numbers are grouped by thousands', () => {
  expect([0, 999, 1_000, 1_234_567].map(group)).toEqual(['0', '999', '1,000', '1,234,567']);
});
