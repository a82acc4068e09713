import type { Circumstances } from '../results';

/** One point: medians over its rounds. */
export interface ScaleRun {
  readonly workers: number;
  readonly nodes: number;
  readonly copyDocsPerSecond: number;
  /** to the `_reindex` of the same round */
  readonly copyRatio: number;
  readonly reindexDocsPerSecond: number;
  readonly clusterCpuSeconds: number;
  /** of all processes of the service */
  readonly serviceCpuSeconds: number;
  /** of the machine's CPUs that cluster and service used from the start request to COMPLETED, 0 to 1 */
  readonly busy: number;
  /** CPU of the worker that had the least to do, as a share of the one that had the most; 1 with one worker */
  readonly fairness: number;
}

/** Everything the benchmark found, as it is written to the results folder. */
export interface ScaleResult extends Circumstances {
  readonly kind: 'scale';
  readonly documents: number;
  readonly sourceShards: number;
  readonly targetShards: number;
  readonly rounds: number;
  readonly settings: Readonly<Record<string, string | number>>;
  readonly runs: readonly ScaleRun[];
}
