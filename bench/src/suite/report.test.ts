import type { ConditionSummary } from '../searches/results';
import { createSuiteReport, createSuiteSummary } from './report';
import type { CaseResult, Spread, SuiteResult, SustainedRun, WriteSummary } from './results';
import { summarizeCopies } from './summary';

const exactly = (value: number): Spread => ({ median: value, least: value, most: value });
const shape = { documents: 3000, sourceShards: 2, targetShards: 4 };

const run = (contestant: string, round: number, speed: number, clusterCpuSeconds: number) => ({
  contestant,
  round,
  copyMs: 1,
  copyDocsPerSecond: speed,
  endToEndMs: 1,
  endToEndDocsPerSecond: contestant === 'AOSC' ? speed / 2 : speed,
  clusterCpuSeconds,
  cpuSeconds: contestant === 'AOSC' ? { worker: 4.06, api: 1 } : undefined,
  peakBytes: contestant === 'AOSC' ? { worker: 300 * 2 ** 20, api: 100 * 2 ** 20 } : undefined,
});
const runs = [
  run('_reindex 1000', 1, 1000, 10),
  run('AOSC', 1, 900, 11),
  run('_reindex 1000', 2, 2000, 10),
  run('AOSC', 2, 2200, 13),
];

const updated: CaseResult = {
  name: 'updated',
  kind: 'copy',
  ...shape,
  sourceBytesPerDocument: 589,
  updates: 5,
  deletedDocuments: 1234,
  script: 'ctx._source.a = 1 | 2',
  warmUp: [],
  runs,
  summary: summarizeCopies(runs),
};

const share = (part: number, completed: boolean, done: number): SustainedRun => ({
  share: part,
  offeredPerSecond: 1000,
  donePerSecond: done,
  completed,
  phase: completed ? 'COMPLETED' : 'ACTIVE',
  reason: undefined,
  seconds: 60,
  longestPauseMs: 400,
  gap: [
    { seconds: 1, operations: 5000 },
    { seconds: 2, operations: 70 },
  ],
});

const sustained: CaseResult = {
  name: 'sustained',
  kind: 'sustained',
  ...shape,
  writers: 16,
  maximum: { median: 5000, least: 4000, most: 6000 },
  boundSeconds: 600,
  runs: [share(0.2, true, 1000), share(0.4, true, 600), share(0.6, false, 1000)],
};

const searches = (ratio: number): ConditionSummary => ({
  p50Ms: 1,
  p95Ms: 2,
  searchesPerSecond: 3,
  failures: 0,
  documentsCopiedPerSecond: 4,
  clusterCpus: 1,
  p50Ratio: ratio,
  p95Ratio: ratio,
  p95RatioByKind: { term: 1, range: 1, aggregation: 1, top_hits: 1 },
});
const writes = (part: number): WriteSummary => ({
  donePerSecond: exactly(500 * part),
  share: exactly(part),
  refused: 0,
  longestPauseMs: 9,
  documentsCopiedPerSecond: 4,
});

const applications: CaseResult = {
  name: 'applications',
  kind: 'applications',
  ...shape,
  settings: { low_impact: {}, high_throughput: {} },
  searches: {
    warmUp: [],
    runs: [],
    summary: { quiet: searches(1), low_impact: searches(1.25), high_throughput: searches(3.5) },
  },
  writes: {
    warmUp: [],
    runs: [],
    offeredPerSecond: 500,
    summary: { quiet: writes(1), low_impact: writes(0.98), high_throughput: writes(0.7) },
  },
};

const result: SuiteResult = {
  kind: 'suite',
  date: '2026-11-21T03:00:00.000Z',
  commit: 'abc1234',
  machine: { cpus: 2, cpuModel: 'x', memoryBytes: 2 ** 33, node: '20', openSearch: '3.7.0', loadBefore: 0.1 },
  short: false,
  rounds: 2,
  documents: undefined,
  settings: {},
  cases: [
    updated,
    { name: 'elasticdump', kind: 'not_run', reason: 'no network' },
    { name: 'large', kind: 'failed', reason: 'the node ended' },
    sustained,
    applications,
  ],
};

const report = (parts: Partial<SuiteResult> = {}): string => createSuiteReport({ ...result, ...parts }, []);

test('the page says where and how it was measured', () => {
  const page = report();
  for (const fact of ['abc1234', '8.0 GB', 'OpenSearch 3.7.0', 'Load 0.1', '2 round(s)'])
    expect(page).toContain(fact);
  for (const doubt of ['Short form', 'other work', 'instead of its own']) expect(page).not.toContain(doubt);
});

test('a short form, other numbers of documents and a busy machine are named', () => {
  expect(report({ short: true })).toContain('Short form');
  expect(report({ documents: 3000 })).toContain('3,000 documents instead of its own');
  expect(report({ machine: { ...result.machine, loadBefore: 3 } })).toContain('other work');
});

test('a contestant has its row, with medians, ratios and their spread', () => {
  const rows = report().split('\n');
  const cells = rows.find((row) => row.startsWith('| `AOSC`'))?.split('|');
  expect(cells?.map((cell) => cell.trim()).slice(2, 10)).toEqual([
    '1,550 (900 to 2,200)',
    '1.00 (0.90 to 1.10)',
    '775 (450 to 1,100)',
    '0.50 (0.45 to 0.55)',
    '12.0 (11.0 to 13.0)',
    '1.20 (1.10 to 1.30)',
    'worker 4.1, api 1.0',
    'worker 300, api 100',
  ]);
  expect(report()).toContain('each updated 5 times before (the segments held 1,234 deleted documents)');
});

test('the highest share is told with and without what the writers got', () => {
  expect(report()).toContain('migration ended: 40 %');
  expect(report()).toContain('95 % of what they offered: 20 %');
  const none = { ...sustained, runs: [share(0.2, false, 1000)] };
  expect(report({ cases: [none] })).toContain('migration ended: none');
});

test('what the applications keep stands beside each other', () => {
  expect(report()).toContain('| p95, of that without a migration | 1.00 | 1.25 | 3.50 |');
  expect(report()).toContain('| done of offered | 100 % | 98 % | 70 % |');
});

test('a case without figures says why', () => {
  expect(report()).toContain('not run: no network');
  expect(report()).toContain('failed: the node ended');
});

test('pictures stand in the page', () => {
  const page = createSuiteReport(result, [{ file: 'a-speed.svg', caption: 'Speed' }]);
  expect(page).toContain('![Speed](a-speed.svg)');
});

test('every line of a table has as many cells', () => {
  const tables = report()
    .split('\n\n')
    .filter((block) => block.startsWith('|'));
  expect(tables.length).toBeGreaterThan(3);
  for (const table of tables) {
    const counts = table
      .trim()
      .split('\n')
      .map((row) => row.replaceAll('\\|', '').split('|').length);
    expect(new Set(counts).size).toBe(1);
  }
});

test('the terminal gets a line for each case', () => {
  expect(createSuiteSummary(result)).toEqual([
    'updated: AOSC / _reindex 1000: copy 1.00 (0.90 to 1.10), end to end 0.50 (0.45 to 0.55), cluster CPU 1.20 (1.10 to 1.30)',
    'elasticdump: not run: no network',
    'large: failed: the node ended',
    'sustained: highest share with which the migration ended: 40 %; with which the writers also got at least 95 % of what they offered: 20 %',
    'applications: low-impact: p95 of searches 1.25, 98 % of the writes; high-throughput: p95 of searches 3.50, 70 % of the writes',
    '2 CPUs, load 0.1 before the first run',
  ]);
});
