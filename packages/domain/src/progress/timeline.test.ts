import type { MigrationPhase, TimelinePoints } from '@aosc/contract';
import {
  addTimelinePoint,
  maxTimelinePoints,
  noTimelinePoints,
  peakOf,
  sampleTimeline,
  timelineIntervalMs,
  type TimelinePoint,
} from './timeline';
import { newShardRecord } from '../shard/new-shard';

const point = (atMillis: number, phase: MigrationPhase = 'ACTIVE'): TimelinePoint => ({
  atMillis,
  phase,
  documentsIndexed: atMillis,
  documentsPerSecond: 1,
  bytesPerSecond: 2,
  gap: null,
  batchBytes: 3,
  concurrency: 4,
  pauses: 5,
  bulkLatencyMs: 6,
});

function run(count: number, phaseAt: (n: number) => MigrationPhase = () => 'ACTIVE'): TimelinePoints {
  let points = noTimelinePoints;
  for (let n = 0; n < count; n += 1) points = addTimelinePoint(points, point(n, phaseAt(n)));
  return points;
}

test('moments are added in order, and a moment that is not later changes nothing', () => {
  const two = run(2);
  expect(two.atMillis).toEqual([0, 1]);
  expect(addTimelinePoint(two, point(1))).toBe(two);
  expect(addTimelinePoint(two, point(0))).toBe(two);
});

test('a curve never has more moments than it may, covers all of the time, and all lists stay as long', () => {
  const points = run(3 * maxTimelinePoints);
  const lengths = new Set(Object.values(points).map((values) => values.length));
  expect(lengths.size).toBe(1);
  const [length = 0] = lengths;
  expect(length).toBeLessThanOrEqual(maxTimelinePoints);
  expect(length).toBeGreaterThan(maxTimelinePoints / 4);
  expect([points.atMillis[0], points.atMillis.at(-1)]).toEqual([0, 3 * maxTimelinePoints - 1]);
  expect(points.atMillis).toEqual(points.documentsIndexed);
});

test('the moment at which a phase was first seen stays', () => {
  const points = run(2 * maxTimelinePoints, (n) => (n === 501 ? 'PREPARING_TARGET' : 'ACTIVE'));
  expect(points.atMillis[points.phase.indexOf('PREPARING_TARGET')]).toBe(501);
});

test('phases that take turns for ever are thinned as well', () => {
  const points = run(2 * maxTimelinePoints, (n) => (n % 2 === 0 ? 'ACTIVE' : 'PREPARING_TARGET'));
  expect(points.atMillis.length).toBeLessThanOrEqual(maxTimelinePoints);
});

test('moments are a second apart at first, soon five, and further apart the longer it takes', () => {
  expect(timelineIntervalMs(0, 5_000)).toBe(1_000);
  expect(timelineIntervalMs(0, 60_000)).toBe(3_000);
  expect(timelineIntervalMs(0, 600_000)).toBe(5_000);
  expect(timelineIntervalMs(0, 86_400_000)).toBe(86_400);
});

test('a copy that has begun and ended between two moments shows its average, and its peak is kept', () => {
  const copied = { ...point(9), documentsIndexed: 50, documentsPerSecond: 0, averageDocumentsPerSecond: 25 };
  expect(addTimelinePoint(noTimelinePoints, copied).documentsPerSecond).toEqual([25]);
  const later = addTimelinePoint(addTimelinePoint(noTimelinePoints, copied), { ...copied, atMillis: 10 });
  expect(later.documentsPerSecond).toEqual([25, 0]);
  expect(peakOf({ points: later })).toBe(25);
  expect(peakOf({ points: later, peakDocumentsPerSecond: 40 })).toBe(40);
});

test('a sample sums up all shards; an unknown gap stays unknown', () => {
  const fresh = newShardRecord('k', 0, 1);
  const counters = { status: 'IN_PROGRESS', bulkRetries: 0, rounds: 1, startTimeMillis: 1 } as const;
  const shards = [
    { ...fresh, replay: { ...counters, currentGap: 5 } },
    {
      ...fresh,
      shard: 1,
      replay: { ...counters, currentGap: 9 },
      convergence: { ...counters, currentGap: 2 },
    },
  ];
  const migration = { phase: 'ACTIVE', sourceShardCount: 2 } as const;
  expect(sampleTimeline(migration, [fresh], 7)).toMatchObject({
    atMillis: 7,
    gap: null,
    documentsPerSecond: 0,
  });
  expect(sampleTimeline(migration, shards, 7).gap).toBe(7);
});

test('the latency of a sample is the mean of all bulks, whichever shard sent them', () => {
  const flow = { controller: 'fixed', targetBytes: 1, maxDocs: 1, concurrency: 1, pageSize: 1, pauses: 0 };
  const shard = (shardNumber: number, meanMs: number, bulks: number) => ({
    ...newShardRecord('k', shardNumber, 1),
    flow: { ...flow, bulkLatency: { meanMs, p95Ms: 1_000, bulks } },
  });
  const migration = { phase: 'ACTIVE', sourceShardCount: 2 } as const;
  const latencyOf = (shards: Parameters<typeof sampleTimeline>[1]) =>
    sampleTimeline(migration, shards, 7).bulkLatencyMs;
  expect(latencyOf([shard(0, 100, 3), shard(1, 20, 1)])).toBe(80);
  expect(latencyOf([{ ...newShardRecord('k', 0, 1), flow }])).toBeNull();
});

test('a curve without latencies, or with those of other moments, gets them from now on', () => {
  const { bulkLatencyMs: _unknown, ...earlier } = run(2);
  expect(addTimelinePoint(earlier, point(2)).bulkLatencyMs).toEqual([null, null, 6]);
  expect(addTimelinePoint({ ...earlier, bulkLatencyMs: [1] }, point(2)).bulkLatencyMs).toEqual([
    null,
    null,
    6,
  ]);
  const { bulkLatencyMs: _none, ...full } = run(maxTimelinePoints);
  const thinned = addTimelinePoint(full, point(maxTimelinePoints));
  expect(thinned.bulkLatencyMs).toHaveLength(thinned.atMillis.length);
});
