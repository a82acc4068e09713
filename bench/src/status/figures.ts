import { percentileOf } from '../percentile';
import type { ByProcess } from '../results';
import type { Poll } from './poller';
import type { StatusFigures } from './results';

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
