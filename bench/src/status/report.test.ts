import { createStatusReport } from './report';
import type { StatusFigures, StatusResult } from './results';

const running: StatusFigures = {
  seconds: 90,
  requests: 1800,
  failures: 0,
  p50Ms: 20.04,
  p99Ms: 120,
  maxMs: 300,
  bytesWithoutTag: 180_000.4,
  bytesWithTag: 150_000,
  notModifiedShare: 0.165,
  cpuSeconds: { worker: 30, scheduler: 5, api: 45 },
};

const result: StatusResult = {
  kind: 'status',
  date: '2026-11-21T03:00:00.000Z',
  commit: 'abc1234',
  machine: { cpus: 2, cpuModel: 'x', memoryBytes: 1, node: '20', openSearch: '3.7.0', loadBefore: 0.31 },
  documents: 400_000,
  sourceShards: 200,
  targetShards: 200,
  requestsPerSecond: 20,
  goalP99Ms: 250,
  settings: {},
  running,
  idle: {
    ...running,
    seconds: 60,
    requests: 1200,
    p50Ms: 9,
    bytesWithTag: undefined,
    notModifiedShare: undefined,
    cpuSeconds: undefined,
  },
};

test('both states stand side by side', () => {
  expect(createStatusReport(result)).toEqual([
    '20 status requests a second, 200 → 200 shards, 400,000 documents',
    '                                    migration running          ended',
    '  requests                              1,800 in 90 s  1,200 in 60 s',
    '  failures                                          0              0',
    '  p50                                         20.0 ms         9.0 ms',
    '  p99                                        120.0 ms       120.0 ms',
    '  longest                                    300.0 ms       300.0 ms',
    '  bytes of an answer, no ETag sent            180,000        180,000',
    '  bytes of an answer, ETag sent               150,000           none',
    '  304 when an ETag was sent                      17 %           none',
    '  CPU of the API                                 50 %           none',
    'goal for p99: below 250 ms, reached',
    '2 CPUs, load 0.3 before the first run',
  ]);
});

test('a missed goal says so', () => {
  const lines = createStatusReport({ ...result, running: { ...running, p99Ms: 250 } });
  expect(lines).toContain('goal for p99: below 250 ms, missed');
});
