import { highThroughput, lowImpact } from '../profiles';
import { createSearchesReport, describeSearchRun } from './report';
import type { ConditionSummary, SearchesResult, SearchRun } from './results';

const percentiles = { p50Ms: 1, p95Ms: 2 };
const run: SearchRun = {
  condition: 'low_impact',
  round: 1,
  seconds: 15.04,
  searches: 1000,
  failures: 0,
  p50Ms: 8.04,
  p95Ms: 20,
  byKind: { term: percentiles, range: percentiles, aggregation: percentiles, top_hits: percentiles },
  documentsCopied: 60_160,
  clusterCpuSeconds: 9,
};

const quiet: ConditionSummary = {
  searchesPerSecond: 70,
  failures: 0,
  documentsCopiedPerSecond: 0,
  clusterCpus: 0.4,
  p50Ms: 6,
  p95Ms: 15,
  p50Ratio: 1,
  p95Ratio: 1,
  p95RatioByKind: { term: 1, range: 1, aggregation: 1, top_hits: 1 },
};

const result: SearchesResult = {
  kind: 'searches',
  date: '2026-11-21T03:00:00.000Z',
  commit: 'abc1234',
  machine: { cpus: 2, cpuModel: 'x', memoryBytes: 1, node: '20', openSearch: '3.7.0', loadBefore: 0.31 },
  documents: 1_500_000,
  sourceShards: 4,
  targetShards: 8,
  rounds: 3,
  clients: 4,
  pauseMs: 50,
  settings: { low_impact: lowImpact, high_throughput: highThroughput },
  warmUp: [],
  runs: [run],
  summary: {
    quiet,
    low_impact: { ...quiet, p50Ms: 8, p50Ratio: 1.333, p95Ratio: 1.5, documentsCopiedPerSecond: 4000.4 },
    high_throughput: {
      ...quiet,
      p50Ms: 18,
      p95Ms: 60.06,
      p50Ratio: 3,
      p95Ratio: 4,
      p95RatioByKind: { term: 4, range: 5, aggregation: 6, top_hits: 7.004 },
      failures: 1,
      documentsCopiedPerSecond: 40_000,
    },
  },
};

test('a line for a run names what it was measured under', () => {
  expect(describeSearchRun(run)).toBe('round 1  low-impact: p50 8.0 ms, p95 20.0 ms, 4,000 docs/s copied');
  expect(describeSearchRun({ ...run, round: 0, condition: 'quiet' })).toBe(
    'warm-up  no migration: p50 8.0 ms, p95 20.0 ms',
  );
});

test('the three conditions stand side by side', () => {
  expect(createSearchesReport(result)).toEqual([
    '4 clients search 1,500,000 documents, each 50 ms after its last answer; 4 → 8 shards, ' +
      'medians of 3 round(s) of 15 s',
    '                                  no migration  low-impact  high-throughput',
    '  searches a second                       70.0        70.0             70.0',
    '  failures                                   0           0                1',
    '  p50                                   6.0 ms      8.0 ms          18.0 ms',
    '  p95                                  15.0 ms     15.0 ms          60.1 ms',
    '  p50, of that without migration        1.00 ×      1.33 ×           3.00 ×',
    '  p95, of that without migration        1.00 ×      1.50 ×           4.00 ×',
    '    term                                1.00 ×      1.00 ×           4.00 ×',
    '    range                               1.00 ×      1.00 ×           5.00 ×',
    '    aggregation                         1.00 ×      1.00 ×           6.00 ×',
    '    top hits                            1.00 ×      1.00 ×           7.00 ×',
    '  documents copied a second                  0       4,000           40,000',
    '  CPUs of the cluster                     0.40        0.40             0.40',
    '2 CPUs, on which the service gives way to the cluster (nice 19); load 0.3 before the first run',
  ]);
});
