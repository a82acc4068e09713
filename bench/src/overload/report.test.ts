import { UsageError } from '../flags';
import { parseOverloadOptions } from './options';
import { createOverloadReport, ratiosToFixed } from './report';
import { type Controller, type OverloadResult, type OverloadRun } from './results';

const createRun = (controller: Controller, round: number, backfillDocsPerSecond: number): OverloadRun => ({
  kind: 'aosc',
  controller,
  round,
  clusterCpuSeconds: 1,
  backfillMs: 1000,
  backfillDocsPerSecond,
  endToEndMs: 2000,
  endToEndDocsPerSecond: backfillDocsPerSecond / 2,
  cutoverMs: 100,
  bulkRetries: 3 * round,
  rejected: 7,
  cpuSeconds: undefined,
  peakBytes: undefined,
});

const runs = [
  createRun('fixed', 1, 1000),
  createRun('adaptive_batch', 1, 1500),
  createRun('adaptive', 1, 900),
  createRun('fixed', 2, 2000),
  createRun('adaptive_batch', 2, 2200),
  createRun('adaptive', 2, 3000),
];

test('a run is compared with the fixed one of its own round', () => {
  expect(ratiosToFixed(runs, 'adaptive_batch')).toEqual([1.5, 1.1]);
  expect(ratiosToFixed(runs, 'adaptive')).toEqual([0.9, 1.5]);
});

test('the report has a row for each controller, with medians', () => {
  const result: OverloadResult = {
    kind: 'overload',
    date: '2026-01-01T00:00:00.000Z',
    commit: 'abc',
    machine: { cpus: 2, cpuModel: '', memoryBytes: 1, node: '20', openSearch: '3', loadBefore: 0.5 },
    documents: 100_000,
    sourceShards: 4,
    targetShards: 4,
    rounds: 2,
    nodeSettings: { 'thread_pool.write.queue_size': 8 },
    settings: {},
    warmUp: [],
    runs,
  };
  const rows = createOverloadReport(result).map((line) => line.trim().split(/ {2,}/));
  expect(rows).toContainEqual(['fixed', '1,500 docs/s', '1.00 x', '750 docs/s', '5', '7']);
  expect(rows).toContainEqual(['adaptive_batch', '1,850 docs/s', '1.30 x', '925 docs/s', '5', '7']);
});

test('options: every one is taken, and a queue for nothing refused', () => {
  expect(parseOverloadOptions([])).toMatchObject({ documents: 200_000, rounds: 3, queue: 8, help: false });
  const args = ['--docs', '5', '--rounds', '1', '--shards', '2:4', '--queue', '3'];
  expect(parseOverloadOptions(args)).toEqual({
    documents: 5,
    rounds: 1,
    sourceShards: 2,
    targetShards: 4,
    queue: 3,
    help: false,
  });
  expect(() => parseOverloadOptions(['--queue', '0'])).toThrow(UsageError);
});
