import type { BulkReport } from './bulk-report';

/** Server time per document, as a fast and a slow moving average: their ratio rises when a cluster begins to queue. */
export interface LatencyGradient {
  readonly short: number;
  readonly long: number;
  readonly samples: number;
}

export const noLatencies: LatencyGradient = { short: 0, long: 0, samples: 0 };
const warmAfter = 5;

/** Failures count too; a report without `took` or documents is no sample. */
export function learnLatency(state: LatencyGradient, { tookMs, documents }: BulkReport): LatencyGradient {
  if (tookMs === undefined || documents <= 0) return state;
  const latency = tookMs / documents;
  if (state.samples === 0) return { short: latency, long: latency, samples: 1 };
  return {
    short: 0.5 * state.short + 0.5 * latency,
    long: 0.9 * state.long + 0.1 * latency,
    samples: state.samples + 1,
  };
}

/** @returns undefined while there are too few samples; 1: steady */
export function gradientOf({ short, long, samples }: LatencyGradient): number | undefined {
  if (samples < warmAfter) return undefined;
  return long <= 0 ? 1 : short / long;
}
