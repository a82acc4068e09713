import type { ByProcess, Circumstances } from '../results';

/** What a series of status requests found. Times in ms, bytes of an answer with its head. */
export interface StatusFigures {
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

/** Everything the benchmark found, as it is written to the results folder. */
export interface StatusResult extends Circumstances {
  readonly kind: 'status';
  readonly documents: number;
  readonly sourceShards: number;
  readonly targetShards: number;
  readonly requestsPerSecond: number;
  readonly goalP99Ms: number;
  readonly settings: Readonly<Record<string, string | number>>;
  /** from the accepted start to the end of the migration */
  readonly running: StatusFigures;
  /** the same migration, ended */
  readonly idle: StatusFigures;
}
