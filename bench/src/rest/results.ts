import type { ByProcess, Circumstances } from '../results';

/** One round: the same time without a migration, and beside one that has converged and waits for its target. */
export interface RestRun {
  readonly round: number;
  /** of one core, 0 to 1 and above */
  readonly clusterCoresAlone: number;
  readonly clusterCoresBeside: number;
  /** requests of the service to the cluster a second, beside */
  readonly requestsPerSecond: number;
  /** of one core, beside */
  readonly cores?: ByProcess;
}

/** Everything the benchmark found, as it is written to the results folder. */
export interface RestResult extends Circumstances {
  readonly kind: 'rest';
  readonly documents: number;
  readonly sourceShards: number;
  readonly targetShards: number;
  readonly rate: number;
  readonly seconds: number;
  readonly runs: readonly RestRun[];
}
