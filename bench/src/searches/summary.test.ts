import type { Condition, SearchRun } from './results';
import { summarizeSearches, toFigures } from './summary';

const createRun = (condition: Condition, round: number, ms: number): SearchRun => ({
  condition,
  round,
  seconds: 10,
  searches: 500,
  failures: 1,
  p50Ms: ms,
  p95Ms: 10 * ms,
  byKind: {
    term: { p50Ms: ms, p95Ms: ms },
    range: { p50Ms: ms, p95Ms: 2 * ms },
    aggregation: { p50Ms: ms, p95Ms: 3 * ms },
    top_hits: { p50Ms: ms, p95Ms: 4 * ms },
  },
  documentsCopied: condition === 'quiet' ? 0 : 1000 * ms,
  clusterCpuSeconds: 5,
});

test('times are those of all searches, and of each kind; one that failed counts', () => {
  const searches = Array.from({ length: 100 }, (_, at) => ({
    kind: (['term', 'range', 'aggregation', 'top_hits'] as const)[at % 4] ?? 'term',
    latencyMs: at + 1,
    failed: at === 99,
  }));
  expect(toFigures(searches)).toEqual({
    searches: 100,
    failures: 1,
    p50Ms: 50,
    p95Ms: 95,
    byKind: {
      term: { p50Ms: 49, p95Ms: 93 },
      range: { p50Ms: 50, p95Ms: 94 },
      aggregation: { p50Ms: 51, p95Ms: 95 },
      top_hits: { p50Ms: 52, p95Ms: 96 },
    },
  });
});

test('a kind that was not searched for is no measurement', () => {
  expect(() => toFigures([{ kind: 'term', latencyMs: 1, failed: false }])).toThrow('nothing was measured');
});

test('ratios are those of runs side by side, and the median of them', () => {
  const {
    quiet,
    low_impact: low,
    high_throughput: high,
  } = summarizeSearches([
    ...[createRun('quiet', 1, 10), createRun('low_impact', 1, 12), createRun('high_throughput', 1, 50)],
    ...[createRun('low_impact', 2, 30), createRun('high_throughput', 2, 60), createRun('quiet', 2, 20)],
    ...[createRun('high_throughput', 3, 60), createRun('quiet', 3, 30), createRun('low_impact', 3, 30)],
  ]);
  expect([quiet.p50Ratio, quiet.p95Ratio]).toEqual([1, 1]);
  // 1.2, 1.5 and 1; 5, 3 and 2
  expect([low.p50Ratio, low.p95Ratio]).toEqual([1.2, 1.2]);
  expect(high.p95RatioByKind).toEqual({ term: 3, range: 3, aggregation: 3, top_hits: 3 });
  expect(low).toMatchObject({
    p50Ms: 30,
    p95Ms: 300,
    failures: 3,
    searchesPerSecond: 50,
    documentsCopiedPerSecond: 3000,
    clusterCpus: 0.5,
  });
});

test('a round without its quiet run says so', () => {
  const runs = [createRun('quiet', 1, 1), createRun('low_impact', 2, 1), createRun('high_throughput', 1, 1)];
  expect(() => summarizeSearches(runs)).toThrow('round 2 has no quiet run');
});
