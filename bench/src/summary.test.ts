import type { AoscRun, ReindexRun } from './results';
import { medianOf, summarize } from './summary';

const createReindex = (round: number, size: number, docsPerSecond: number): ReindexRun => ({
  kind: 'reindex',
  round,
  size,
  docsPerSecond,
  elapsedMs: 1_000_000 / docsPerSecond,
  clusterCpuSeconds: size / 100 + round,
});

const createAosc = (round: number, parts: Partial<AoscRun>): AoscRun => ({
  kind: 'aosc',
  round,
  clusterCpuSeconds: 30,
  backfillMs: 1000,
  backfillDocsPerSecond: 1000,
  convergedMs: 1500,
  convergedDocsPerSecond: 600,
  endToEndMs: 2000,
  endToEndDocsPerSecond: 500,
  cutoverMs: 300,
  foreseen: { seconds: 0.5, diskBytes: 1, pauseMs: 2 },
  verified: undefined,
  bulkRetries: 0,
  cpuSeconds: { worker: 4, scheduler: 1, api: 1 },
  peakBytes: { worker: 100, scheduler: 50, api: 50 },
  ...parts,
});

test('a median is the middle value, or the mean of the two middle ones', () => {
  expect(medianOf([9, 1, 5])).toBe(5);
  expect(medianOf([4, 1, 9, 2])).toBe(3);
  expect(() => medianOf([])).toThrow('nothing was measured');
});

test('ratios are those of runs side by side, against the size that is faster over all rounds', () => {
  const summary = summarize([
    createReindex(1, 1000, 900),
    createReindex(1, 5000, 2000),
    createAosc(1, { backfillDocsPerSecond: 1600, convergedDocsPerSecond: 1200, endToEndDocsPerSecond: 1000 }),
    createReindex(2, 1000, 4000),
    createReindex(2, 5000, 4000),
    createAosc(2, { backfillDocsPerSecond: 3000, endToEndDocsPerSecond: 2600 }),
    createReindex(3, 1000, 900),
    createReindex(3, 5000, 1000),
    createAosc(3, { backfillDocsPerSecond: 1000, endToEndDocsPerSecond: 600 }),
  ]);
  expect(summary.betterReindexSize).toBe(5000);
  expect(summary.reindexDocsPerSecond).toEqual({ 1000: 900, 5000: 2000 });
  expect(summary.backfillRatio).toBeCloseTo(0.8);
  expect(summary.convergedRatio).toBeCloseTo(0.6);
  expect(summary.endToEndRatio).toBeCloseTo(0.6);
  expect(summary.clusterCpuRatio).toBeCloseTo(30 / 52);
  expect(summary.reindexClusterCpuSeconds).toEqual({ 1000: 12, 5000: 52 });
});

test('CPU seconds are the median run, memory is the highest peak', () => {
  const reindex = createReindex(1, 1000, 1000);
  const summary = summarize([
    reindex,
    createAosc(1, { cpuSeconds: { worker: 4, scheduler: 1, api: 1 } }),
    createAosc(2, {
      cpuSeconds: { worker: 9, scheduler: 2, api: 0 },
      peakBytes: { worker: 7, scheduler: 70, api: 50 },
    }),
    createAosc(3, { cpuSeconds: { worker: 5, scheduler: 3, api: 2 } }),
  ]);
  expect(summary.cpuSeconds).toEqual({ worker: 5, scheduler: 2, api: 1 });
  expect(summary.peakBytes).toEqual({ worker: 100, scheduler: 70, api: 50 });
});

test('what could not be measured stays out', () => {
  const runs = [createReindex(1, 1000, 1000), createAosc(1, { cpuSeconds: undefined, peakBytes: undefined })];
  expect(summarize(runs)).toMatchObject({ cpuSeconds: undefined, peakBytes: undefined });
});
