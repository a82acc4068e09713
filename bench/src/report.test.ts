import { createReport, describeRun, group } from './report';
import type { BenchResult } from './results';

const result: BenchResult = {
  date: '2026-11-21T03:00:00.000Z',
  commit: 'abc1234',
  machine: { cpus: 2, cpuModel: 'x', memoryBytes: 1, node: '20', openSearch: '3.7.0', loadBefore: 0.31 },
  documents: 1_000_000,
  sourceBytesPerDocument: 589,
  sourceShards: 4,
  targetShards: 8,
  rounds: 3,
  byFiles: false,
  profiled: false,
  settings: {},
  warmUp: [],
  runs: [],
  summary: {
    reindexDocsPerSecond: { 1000: 50_000, 5000: 60_000 },
    reindexClusterCpuSeconds: { 1000: 40, 5000: 35.4 },
    betterReindexSize: 5000,
    backfillDocsPerSecond: 54_000,
    backfillRatio: 0.9,
    convergedDocsPerSecond: 51_000,
    convergedRatio: 0.85,
    endToEndDocsPerSecond: 48_000,
    endToEndRatio: 0.8,
    clusterCpuSeconds: 36,
    clusterCpuRatio: 1.02,
    foreseen: { seconds: 0.9, diskBytes: 1.06, pauseMs: 1.2 },
    verified: { time: 0.4, cluster: 0.25, worker: 0.9 },
    cpuSeconds: { worker: 5.04, scheduler: 0.5, api: 1 },
    peakBytes: { worker: 300 * 2 ** 20, scheduler: 100 * 2 ** 20, api: 100 * 2 ** 20 },
  },
};

test('the table says which figure is which', () => {
  expect(createReport(result)).toEqual([
    '1,000,000 documents of 589 bytes, 4 → 8 shards, medians of 3 round(s)',
    '  _reindex, slices auto, size 1000     50,000 docs/s',
    '  _reindex, slices auto, size 5000     60,000 docs/s  the better one',
    '  AOSC, backfill alone                 54,000 docs/s  0.90 of it',
    '  AOSC, start to all shards converged  51,000 docs/s  0.85 of it',
    '  AOSC, start request to COMPLETED     48,000 docs/s  0.80 of it',
    "CPU seconds of the cluster: _reindex size 1000 40, _reindex size 5000 35, AOSC 36, 1.02 of the better one's",
    'estimates of the plan, as parts of what came: copy 0.90, disk 1.06, pause 1.20',
    "verified by content, as parts of the copy: time 0.40, cluster's CPU 0.25, worker's 0.90",
    'CPU seconds of ours: worker 5.0, scheduler 0.5, API 1.0',
    'peak memory of ours: worker 300 MB, scheduler 100 MB, API 100 MB',
    '2 CPUs, load 0.3 before the first run',
  ]);
});

test('what was not measured is not shown as zero', () => {
  const summary = { ...result.summary, cpuSeconds: undefined, peakBytes: undefined };
  const lines = createReport({ ...result, summary });
  expect(lines).toContain('CPU seconds of ours: not measured');
  expect(lines).toContain('peak memory of ours: not measured');
});

test('a run by files says so, and what its CPU counts', () => {
  const lines = createReport({ ...result, byFiles: true });
  expect(lines[0]).toContain('4 → 8 shards by files');
  expect(lines.find((line) => line.startsWith('CPU seconds of the cluster'))).toContain('with the merges');
});

test('a profiled run says so', () => {
  expect(createReport({ ...result, profiled: true }).at(-1)).toContain('profiled');
});

test('a run is one line', () => {
  const run = { kind: 'reindex', round: 2, size: 1000, elapsedMs: 20_000, docsPerSecond: 50_000 } as const;
  expect(describeRun({ ...run, clusterCpuSeconds: 41.6 })).toBe(
    'round 2  _reindex size 1000: 50,000 docs/s in 20.0 s, cluster CPU 42 s',
  );
});

test('numbers are grouped by thousands', () => {
  expect([0, 999, 1000, 1234567.4].map(group)).toEqual(['0', '999', '1,000', '1,234,567']);
});
