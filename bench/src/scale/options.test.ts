import { UsageError } from '../flags';
import { parseScaleOptions } from './options';
import { createScaleReport } from './report';
import { describeRun } from './run-scale';

test('points are measured in the order in which they are given', () => {
  expect(parseScaleOptions(['--points', '2x3, 1x1']).points).toEqual([
    { workers: 2, nodes: 3 },
    { workers: 1, nodes: 1 },
  ]);
});

test('without options there are several workers and nodes', () => {
  const { points, ...rest } = parseScaleOptions([]);
  expect(new Set(points.map(({ workers }) => workers))).toEqual(new Set([1, 2, 4]));
  expect(new Set(points.map(({ nodes }) => nodes))).toEqual(new Set([1, 2, 3]));
  expect(rest).toEqual({ documents: 300_000, sourceShards: 16, targetShards: 16, rounds: 2, help: false });
});

test.each([
  [['--points', '2'], '2: expected workers and nodes'],
  [['--points', '2x0'], '--points 0'],
  [['--shards', '4'], '--shards 4'],
])('%j is refused with its reason', (args, reason) => {
  expect(() => parseScaleOptions(args)).toThrow(UsageError);
  expect(() => parseScaleOptions(args)).toThrow(reason);
});

test('a point is a line', () => {
  const run = {
    workers: 4,
    nodes: 3,
    copyDocsPerSecond: 31_000,
    copyRatio: 0.777,
    reindexDocsPerSecond: 40_000,
    clusterCpuSeconds: 15.04,
    serviceCpuSeconds: 2.26,
    busy: 0.914,
    fairness: 0.8,
  };
  expect(describeRun(run)).toContain('4 worker(s), 3 node(s): copy 31,000 docs/s, 0.78 of _reindex (40,000)');
  const report = createScaleReport({
    kind: 'scale',
    date: '2026-01-01T00:00:00.000Z',
    commit: 'abc',
    machine: { cpus: 2, cpuModel: 'x', memoryBytes: 1, node: '20', openSearch: '3.7.0', loadBefore: 0.5 },
    documents: 300_000,
    sourceShards: 16,
    targetShards: 16,
    rounds: 2,
    settings: {},
    runs: [run],
  });
  expect(report).toContain('| 4 | 3 | 31,000 | 0.78 | 15.0 s | 2.3 s | 91 % | 80 % |');
});
