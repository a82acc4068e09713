import type { CutoverResult, CutoverRun } from './results';
import { createCutoverReport } from './report';
import { drawTimeline } from './timeline';

const run = (pauseMs: number): CutoverRun => ({
  run: 1,
  calls: {
    all: 1200,
    byPhase: { ACTIVE: 1000, CATCHING_UP: 200 },
    byKind: [['GET source/_stats', 300]],
    kindsByPhase: { ACTIVE: [['GET source/_stats', 250]], CATCHING_UP: [['GET source/_stats', 50]] },
    underBlock: [
      { name: 'PUT source/_block/write', fromMs: 0, toMs: 10 },
      { name: 'POST records/_mget', fromMs: 5, toMs: 12 },
      { name: 'POST _aliases', fromMs: 12, toMs: 30 },
    ],
    inARow: 2,
    blockMs: 30,
  },
  endToEndMs: 9000,
  pauseMs,
  refusedWrites: 12,
  clusterCpuSeconds: 4.25,
  phaseMs: { ACTIVE: 8000 },
});
const result: CutoverResult = {
  kind: 'cutover',
  date: '2026-01-01T00:00:00.000Z',
  commit: 'abc',
  machine: { cpus: 2, cpuModel: 'x', memoryBytes: 1, node: '20', openSearch: '3.7.0', loadBefore: 0.5 },
  documents: 50_000,
  sourceShards: 4,
  targetShards: 8,
  rate: 200,
  roundTripMs: 0,
  runs: [run(100), run(300), run(900)],
};

test('the report has medians, and the requests of the last migration', () => {
  const lines = createCutoverReport(result).join('\n');
  expect(lines).toContain('4 → 8 shards, 50,000 documents');
  expect(lines).toMatch(/requests of the migration +1,200/);
  expect(lines).toMatch(/of those in a row, at the most +2/);
  expect(lines).toMatch(/p50 +300 ms/);
  expect(lines).toMatch(/p95 +900 ms/);
  expect(lines).toContain(
    '1,000  ACTIVE\n    250  GET source/_stats\n  200  CATCHING_UP\n    50  GET source/_stats',
  );
});

test('beside another build each figure has a ratio', () => {
  const beside = { commit: 'old', runs: [run(1000), run(600), run(2000)] };
  const lines = createCutoverReport({ ...result, beside }).join('\n');
  expect(lines).toContain('abc, beside it old in turns');
  expect(lines).toMatch(/p50 +300 ms +1,000 ms +0\.30/);
  expect(lines).toMatch(/the cluster's CPU +4\.3 s +4\.3 s +1\.00/);
});

test('bars that overlap have lanes of their own', () => {
  const svg = drawTimeline(result.runs[0]?.calls.underBlock ?? []);
  expect(svg.match(/<rect/g)).toHaveLength(3);
  expect([...svg.matchAll(/y="(\d+)" width/g)].map(([, y]) => Number(y))).toEqual([24, 38, 24]);
  expect(svg).toContain('block to swap: 30 ms, 3 requests');
});
