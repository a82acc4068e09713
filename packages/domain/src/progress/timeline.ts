import type {
  MigrationPhase,
  MigrationRecord,
  ShardRecord,
  TimelinePoints,
  TimelineRecord,
} from '@aosc/contract';
import { summarizeProgress } from './migration-progress';

/** The most moments that a migration keeps. */
export const maxTimelinePoints = 2_000;
/** Moments are this far apart at first, so that a run of five seconds has some. */
const leastIntervalMs = 1_000;
/** Later they are this far apart, until the wanted number of them no longer covers the whole time. */
const steadyIntervalMs = 5_000;
const wantedYoungPoints = 20;
/** From then on their distance is such that this number of moments covers the whole time. */
const wantedPoints = 1_000;

/** One moment of a migration's curve. */
export interface TimelinePoint {
  readonly atMillis: number;
  readonly phase: MigrationPhase;
  readonly documentsIndexed: number;
  /** by the workers that copy at this moment */
  readonly documentsPerSecond: number;
  /** of the copy so far; undefined: shards are still copying */
  readonly averageDocumentsPerSecond?: number | undefined;
  readonly bytesPerSecond: number;
  /** null: unknown */
  readonly gap: number | null;
  readonly batchBytes: number;
  readonly concurrency: number;
  readonly pauses: number;
  /** null: no bulk has ended lately */
  readonly bulkLatencyMs: number | null;
}

export const noTimelinePoints: TimelinePoints = {
  atMillis: [],
  phase: [],
  documentsIndexed: [],
  documentsPerSecond: [],
  bytesPerSecond: [],
  gap: [],
  batchBytes: [],
  concurrency: [],
  pauses: [],
  bulkLatencyMs: [],
};

/** Operations left to replay, from the newest figure of each shard that has one; undefined: none has. */
export function gapOfShards(shards: readonly ShardRecord[]): number | undefined {
  const gaps = shards
    .map(({ catchingUp, convergence, replay }) => (catchingUp ?? convergence ?? replay)?.currentGap)
    .filter((gap) => gap !== undefined);
  return gaps.length === 0 ? undefined : gaps.reduce((sum, gap) => sum + gap, 0);
}

/** A migration at this moment, from what its scheduler has read anyway. */
export function sampleTimeline(
  migration: Pick<MigrationRecord, 'phase' | 'sourceShardCount'>,
  shards: readonly ShardRecord[],
  atMillis: number,
): TimelinePoint {
  const progress = summarizeProgress(migration, shards);
  let [batchBytes, concurrency, pauses] = [0, 0, 0];
  let [bulks, bulksTookMs] = [0, 0];
  for (const { flow } of shards) {
    batchBytes += flow?.targetBytes ?? 0;
    concurrency += flow?.concurrency ?? 0;
    pauses += flow?.pauses ?? 0;
    bulks += flow?.bulkLatency?.bulks ?? 0;
    bulksTookMs += (flow?.bulkLatency?.bulks ?? 0) * (flow?.bulkLatency?.meanMs ?? 0);
  }
  return {
    atMillis,
    phase: migration.phase,
    documentsIndexed: progress?.documentsIndexed ?? 0,
    documentsPerSecond: progress?.documentsPerSecond ?? 0,
    averageDocumentsPerSecond: progress?.averageDocumentsPerSecond,
    bytesPerSecond: progress?.bytesPerSecond ?? 0,
    gap: gapOfShards(shards) ?? null,
    batchBytes,
    concurrency,
    pauses,
    bulkLatencyMs: bulks === 0 ? null : Math.round(bulksTookMs / bulks),
  };
}

/**
 * Milliseconds from one moment of a curve to the next.
 * @param startMillis when the migration started
 */
export function timelineIntervalMs(startMillis: number, nowMillis: number): number {
  const elapsedMs = nowMillis - startMillis;
  const young = Math.min(steadyIntervalMs, Math.max(leastIntervalMs, elapsedMs / wantedYoungPoints));
  return Math.max(young, elapsedMs / wantedPoints);
}

/**
 * A curve with one more moment. A moment that is not later than the last changes nothing. When there are too many, the
 * curve drops every second one, except the first and those at which a phase was first seen.
 */
export function addTimelinePoint(points: TimelinePoints, point: TimelinePoint): TimelinePoints {
  const last = points.atMillis.at(-1);
  if (last !== undefined && point.atMillis <= last) return points;
  // A small index may be copied between two moments: its average is known all the same.
  const hasCopied = point.documentsIndexed > (points.documentsIndexed.at(-1) ?? 0);
  const rate =
    point.documentsPerSecond === 0 && hasCopied ? point.averageDocumentsPerSecond : point.documentsPerSecond;
  const room = points.atMillis.length < maxTimelinePoints ? points : thin(points);
  return {
    atMillis: [...room.atMillis, point.atMillis],
    phase: [...room.phase, point.phase],
    documentsIndexed: [...room.documentsIndexed, point.documentsIndexed],
    documentsPerSecond: [...room.documentsPerSecond, rate ?? 0],
    bytesPerSecond: [...room.bytesPerSecond, point.bytesPerSecond],
    gap: [...room.gap, point.gap],
    batchBytes: [...room.batchBytes, point.batchBytes],
    concurrency: [...room.concurrency, point.concurrency],
    pauses: [...room.pauses, point.pauses],
    bulkLatencyMs: [...latenciesOf(room), point.bulkLatencyMs],
  };
}

/** The highest rate of a migration, including moments that were thinned out. */
export function peakOf({
  points,
  peakDocumentsPerSecond = 0,
}: Pick<TimelineRecord, 'points' | 'peakDocumentsPerSecond'>): number {
  return points.documentsPerSecond.reduce((peak, rate) => Math.max(peak, rate), peakDocumentsPerSecond);
}

/** A version that does not know latencies drops all stored ones whenever it adds a moment. */
function latenciesOf({ atMillis, bulkLatencyMs = [] }: TimelinePoints): readonly (number | null)[] {
  const isWhole = bulkLatencyMs.length === atMillis.length;
  return isWhole ? bulkLatencyMs : atMillis.map(() => null);
}

function thin(points: TimelinePoints): TimelinePoints {
  const isKept = points.phase.map((phase, at) => at % 2 === 0 || phase !== points.phase[at - 1]);
  // Phases that alternate for ever would keep every moment.
  const enough = isKept.filter(Boolean).length <= maxTimelinePoints / 1.5;
  const keep = <T>(values: readonly T[]): readonly T[] =>
    values.filter((_, at) => (enough ? isKept[at] : at % 2 === 0));
  return {
    atMillis: keep(points.atMillis),
    phase: keep(points.phase),
    documentsIndexed: keep(points.documentsIndexed),
    documentsPerSecond: keep(points.documentsPerSecond),
    bytesPerSecond: keep(points.bytesPerSecond),
    gap: keep(points.gap),
    batchBytes: keep(points.batchBytes),
    concurrency: keep(points.concurrency),
    pauses: keep(points.pauses),
    bulkLatencyMs: keep(latenciesOf(points)),
  };
}
