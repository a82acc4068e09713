import type { CopyRun } from './results';
import { spreadOf, summarizeCopies } from './summary';

const createRun = (contestant: string, round: number, parts: Partial<CopyRun> = {}): CopyRun => ({
  contestant,
  round,
  copyMs: 1000,
  copyDocsPerSecond: 1000,
  endToEndMs: 1000,
  endToEndDocsPerSecond: 1000,
  clusterCpuSeconds: 10,
  cpuSeconds: undefined,
  peakBytes: undefined,
  ...parts,
});

const reindex = (size: number, round: number, speed: number): CopyRun =>
  createRun(`_reindex ${size}`, round, { copyDocsPerSecond: speed, endToEndDocsPerSecond: speed });

test('a spread has the middle and both ends', () => {
  expect(spreadOf([3, 1, 8])).toEqual({ median: 3, least: 1, most: 8 });
  expect(() => spreadOf([])).toThrow('nothing was measured');
});

test('every contestant is held against the _reindex that is fastest over all rounds, round by round', () => {
  const { bestReindex, contestants } = summarizeCopies([
    createRun('AOSC', 1, { copyDocsPerSecond: 900, endToEndDocsPerSecond: 500, clusterCpuSeconds: 12 }),
    // Faster in this round alone.
    reindex(1000, 1, 4000),
    reindex(5000, 1, 1000),
    createRun('AOSC', 2, { copyDocsPerSecond: 1800, endToEndDocsPerSecond: 1500, clusterCpuSeconds: 9 }),
    reindex(1000, 2, 100),
    reindex(5000, 2, 2000),
    createRun('AOSC', 3, { copyDocsPerSecond: 2400, endToEndDocsPerSecond: 1600, clusterCpuSeconds: 20 }),
    reindex(1000, 3, 100),
    reindex(5000, 3, 2000),
  ]);
  expect(bestReindex).toBe('_reindex 5000');
  const own = contestants.find(({ contestant }) => contestant === 'AOSC');
  expect(own).toMatchObject({
    copyDocsPerSecond: { median: 1800, least: 900, most: 2400 },
    copyRatio: { median: 0.9, least: 0.9, most: 1.2 },
    endToEndRatio: { median: 0.75, least: 0.5, most: 0.8 },
    clusterCpuRatio: { median: 1.2, least: 0.9, most: 2 },
  });
  const rival = contestants.find(({ contestant }) => contestant === bestReindex);
  expect(rival?.copyRatio).toEqual({ median: 1, least: 1, most: 1 });
});

test('rivals come first, whichever began', () => {
  const names = ['elasticdump', 'AOSC', '_reindex 1000', '_reindex 100'];
  const { contestants } = summarizeCopies(names.map((name) => createRun(name, 1)));
  expect(contestants.map(({ contestant }) => contestant)).toEqual([
    '_reindex 100',
    '_reindex 1000',
    'AOSC',
    'elasticdump',
  ]);
});

test('CPU of processes is the median, memory the highest peak, and what was not measured stays out', () => {
  const cost = (cpu: number, peak: number) => ({ cpuSeconds: { worker: cpu }, peakBytes: { worker: peak } });
  const { contestants } = summarizeCopies([
    ...[1, 2, 3].map((round) => reindex(1000, round, 1000)),
    createRun('AOSC', 1, cost(5, 70)),
    createRun('AOSC', 2, cost(1, 90)),
    createRun('AOSC', 3, cost(2, 80)),
  ]);
  expect(contestants).toMatchObject([
    { contestant: '_reindex 1000', cpuSeconds: undefined, peakBytes: undefined },
    { contestant: 'AOSC', cpuSeconds: { worker: 2 }, peakBytes: { worker: 90 } },
  ]);
});

test('without a rival there is no ratio', () => {
  expect(() => summarizeCopies([createRun('AOSC', 1)])).toThrow('no _reindex was measured');
  expect(() => summarizeCopies([reindex(1000, 1, 1000), createRun('AOSC', 2)])).toThrow(
    'round 2 has no _reindex beside AOSC',
  );
});
