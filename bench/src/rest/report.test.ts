import { UsageError } from '../flags';
import { parseRestOptions } from './options';
import { createRestReport } from './report';
import { describeRun } from './run-rest';

const run = (round: number, beside: number) => ({
  round,
  clusterCoresAlone: 0.5,
  clusterCoresBeside: beside,
  requestsPerSecond: 12.34,
  cores: { worker: 0.031, scheduler: 0.02, api: 0.001 },
});

test('what the migration costs is the median of the differences', () => {
  const lines = createRestReport({
    kind: 'rest',
    date: '2026-01-01T00:00:00.000Z',
    commit: 'abc',
    machine: { cpus: 2, cpuModel: 'x', memoryBytes: 1, node: '20', openSearch: '3.7.0', loadBefore: 0.5 },
    documents: 50_000,
    sourceShards: 32,
    targetShards: 32,
    rate: 200,
    seconds: 30,
    runs: [run(1, 0.55), run(2, 0.9), run(3, 0.6)],
  }).join('\n');
  expect(lines).toContain(
    'costs the cluster 10.0 % of one core beyond the writes (median of 3), with 12.3 requests/s',
  );
});

test('a round is a line', () => {
  expect(describeRun(run(0, 0.55))).toBe(
    "warm-up: the cluster's CPU 50.0 % of one core alone, 55.0 % beside (5.0 % more), 12.3 requests/s, worker 3.1 %, " +
      'scheduler 2.0 %, api 0.1 %',
  );
});

test('options have defaults and bounds', () => {
  expect(parseRestOptions([])).toMatchObject({
    sourceShards: 32,
    targetShards: 32,
    rate: 200,
    rounds: 3,
    seconds: 30,
  });
  expect(() => parseRestOptions(['--rounds', '0'])).toThrow(UsageError);
});
