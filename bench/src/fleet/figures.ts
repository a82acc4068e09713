import { percentileOf } from '../percentile';
import type { ByProcess } from '../results';
import type { Poll } from './poller';

/** What a series of status requests found. Times in ms, bytes of an answer with its head. */
interface StatusFigures {
  readonly seconds: number;
  readonly requests: number;
  /** neither 200 nor 304, or no answer at all */
  readonly failures: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** on average, of requests without a tag; undefined: none was answered */
  readonly bytesWithoutTag: number | undefined;
  /** on average, of requests with the tag of the answer before, 304 or not */
  readonly bytesWithTag: number | undefined;
  /** of the requests with a tag, 0 to 1 */
  readonly notModifiedShare: number | undefined;
  readonly cpuSeconds: ByProcess | undefined;
}

/** @param polls at least one @throws Error when there is none */
export function toFigures(
  polls: readonly Poll[],
  seconds: number,
  cpuSeconds: ByProcess | undefined,
): StatusFigures {
  const answered = polls.filter(({ status }) => status === 200 || status === 304);
  const withTag = answered.filter(({ conditional }) => conditional);
  const withoutTag = answered.filter(({ conditional }) => !conditional);
  // A request that failed was not faster for it: it counts with the time it took to fail.
  const latencies = polls.map(({ latencyMs }) => latencyMs);
  return {
    seconds,
    requests: polls.length,
    failures: polls.length - answered.length,
    p50Ms: percentileOf(latencies, 0.5),
    p99Ms: percentileOf(latencies, 0.99),
    maxMs: percentileOf(latencies, 1),
    bytesWithoutTag: averageOf(withoutTag.map(({ bytes }) => bytes)),
    bytesWithTag: averageOf(withTag.map(({ bytes }) => bytes)),
    notModifiedShare: averageOf(withTag.map(({ status }) => (status === 304 ? 1 : 0))),
    cpuSeconds,
  };
}

function averageOf(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
