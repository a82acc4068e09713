import type { Foreseen } from './foreseen';

/** Everything a benchmark found, as it is written to the results folder. */
export interface BenchResult extends Circumstances {
  readonly documents: number;
  readonly sourceBytesPerDocument: number;
  readonly sourceShards: number;
  readonly targetShards: number;
  readonly rounds: number;
  /** the target of AOSC was made of the files of the source */
  readonly byFiles: boolean;
  readonly profiled: boolean;
  /** cluster and service had cores of their own; left out before that could be asked for */
  readonly pinned?: boolean;
  readonly settings: Readonly<Record<string, string | number>>;
  /** round 0, which no summary counts */
  readonly warmUp: readonly Run[];
  readonly runs: readonly Run[];
  readonly summary: Summary;
}

/** When, of which commit and where: what every result begins with. */
export interface Circumstances {
  readonly date: string;
  readonly commit: string;
  readonly machine: Machine;
}

export interface Machine {
  readonly cpus: number;
  readonly cpuModel: string;
  readonly memoryBytes: number;
  readonly node: string;
  readonly openSearch: string;
  /** of the last minute, before the first run: other work on the machine makes all figures doubtful */
  readonly loadBefore: number;
}

export type Run = ReindexRun | AoscRun;

export interface ReindexRun {
  readonly kind: 'reindex';
  readonly round: number;
  /** CPU seconds of all nodes, from the start to the end of the run */
  readonly clusterCpuSeconds: number;
  /** documents of a scroll page */
  readonly size: number;
  /** from the request to its answer */
  readonly elapsedMs: number;
  readonly docsPerSecond: number;
}

export interface AoscRun {
  readonly kind: 'aosc';
  readonly round: number;
  readonly clusterCpuSeconds: number;
  /** from the first shard's BACKFILLING to the last shard's end of it, by the status' timestamps */
  readonly backfillMs: number;
  readonly backfillDocsPerSecond: number;
  /** from the start to the moment when all shards have converged, by the status' timestamps */
  readonly convergedMs: number;
  readonly convergedDocsPerSecond: number;
  /** from the start request to COMPLETED, by the caller's clock */
  readonly endToEndMs: number;
  readonly endToEndDocsPerSecond: number;
  /** from entering CUTTING_OVER to the end of the cutover, by the status' timestamps */
  readonly cutoverMs: number;
  /** undefined: nothing was planned, as the target is made of files */
  readonly foreseen: Foreseen | undefined;
  /** what a verification by content took, as parts of what the copy took; undefined: none was made */
  readonly verified: ByName | undefined;
  readonly bulkRetries: number;
  /** of this run alone; undefined: not measured */
  readonly cpuSeconds: ByProcess | undefined;
  /** since each process began; undefined: not measured */
  readonly peakBytes: ByProcess | undefined;
}

/** A value of each process of a contestant, by its name. */
export type ByName = Readonly<Record<string, number>>;

/** The same of ours. */
export type ByProcess = Readonly<Record<'worker' | 'scheduler' | 'api', number>>;

/** Medians over the rounds; ratios are the median of each round's own ratio, as its runs lie side by side. */
export interface Summary {
  readonly reindexDocsPerSecond: Readonly<Record<string, number>>;
  readonly reindexClusterCpuSeconds: Readonly<Record<string, number>>;
  /** page size of the `_reindex` with the higher median */
  readonly betterReindexSize: number;
  readonly backfillDocsPerSecond: number;
  readonly backfillRatio: number;
  readonly convergedDocsPerSecond: number;
  readonly convergedRatio: number;
  readonly endToEndDocsPerSecond: number;
  readonly endToEndRatio: number;
  readonly clusterCpuSeconds: number;
  readonly clusterCpuRatio: number;
  readonly foreseen: ByName | undefined;
  readonly verified: ByName | undefined;
  readonly cpuSeconds: ByProcess | undefined;
  readonly peakBytes: ByProcess | undefined;
}
