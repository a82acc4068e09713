import type { MigrationStatus, Timeline } from '@aosc/client';
import { sumShards } from './sum-shards';

/** What is drawn at one moment. */
export interface Sample {
  readonly atMillis: number;
  readonly documentsPerSecond: number;
  readonly bytesPerSecond: number;
  readonly gap: number | undefined;
  readonly batchBytes: number;
  readonly concurrency: number;
  readonly pauses: number;
  readonly bulkLatencyMs: number | undefined;
}

/** An hour of looks, one every two seconds. */
const maxSamples = 1_800;

export function sampleOf(status: MigrationStatus, atMillis: number): Sample {
  const sums = sumShards(Object.values(status.shards));
  return {
    atMillis,
    documentsPerSecond: status.progress?.documents_per_second ?? 0,
    bytesPerSecond: status.progress?.bytes_per_second ?? 0,
    gap: sums.gap,
    batchBytes: sums.batchBytes,
    concurrency: sums.concurrency,
    pauses: sums.pauses,
    bulkLatencyMs: sums.bulkLatencyMs,
  };
}

/** Adds a sample; when there are too many, every second sample of the older half goes. */
export function addSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  const last = samples.at(-1);
  if (last !== undefined && sample.atMillis <= last.atMillis) return samples;
  if (samples.length < maxSamples) return [...samples, sample];
  const half = samples.length / 2;
  return [...samples.filter((_, at) => at >= half || at % 2 === 0), sample];
}

/** The curve that the API keeps, and after its end what this page has seen since. */
export function joinSamples(timeline: Timeline | undefined, own: readonly Sample[]): readonly Sample[] {
  if (timeline === undefined) return own;
  const { points } = timeline;
  const kept = points.at_millis.map((atMillis, n) => ({
    atMillis,
    documentsPerSecond: points.documents_per_second[n] ?? 0,
    bytesPerSecond: points.bytes_per_second[n] ?? 0,
    gap: points.gap[n] ?? undefined,
    batchBytes: points.batch_bytes[n] ?? 0,
    concurrency: points.concurrency[n] ?? 0,
    pauses: points.pauses[n] ?? 0,
    bulkLatencyMs: points.bulk_latency_ms?.[n] ?? undefined,
  }));
  const end = points.at_millis.at(-1) ?? -Infinity;
  return [...kept, ...own.filter(({ atMillis }) => atMillis > end)];
}
