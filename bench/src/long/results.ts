import type { Circumstances } from '../results';

/** The state of a migration at one moment. */
export interface LongSample {
  /** since the start request */
  readonly seconds: number;
  readonly phase: string;
  readonly documentsCopied: number;
  /** operations left to replay, of all shards; undefined while none replays yet */
  readonly gap?: number;
  /** of the worker, in RAM right now; undefined: not measured */
  readonly workerBytes?: number;
  /** of the source on disk that no segment of the present belongs to: snapshots keep it, or a merge is writing it */
  readonly pinnedBytes: number;
  readonly sourceBytes: number;
  readonly targetBytes: number;
  /** of all nodes, since the start request */
  readonly clusterCpuSeconds: number;
  /** operations that the writers have got done since they began */
  readonly written: number;
}

/** Everything the benchmark found, as it is written to the results folder. */
export interface LongResult extends Circumstances {
  readonly kind: 'long';
  readonly documents: number;
  readonly sourceShards: number;
  readonly targetShards: number;
  readonly rate: number;
  /** undefined in results from before there was a choice */
  readonly byFiles?: boolean;
  readonly everySeconds: number;
  readonly loseAt: number;
  readonly settings: Readonly<Record<string, string | number>>;
  readonly samples: readonly LongSample[];
  /** when all snapshots were closed; undefined: they never were */
  readonly lostAtSeconds?: number;
  readonly copySeconds: number;
  readonly endToEndSeconds: number;
  /** from the request for the block to the swap, by the service's own clock */
  readonly blockMs: number;
  readonly longestPauseMs: number;
  readonly refusedWrites: number;
  /** CPU of each process of the service */
  readonly cpuSeconds?: Readonly<Record<string, number>>;
  readonly clusterCpuSeconds: number;
  /** documents of the target that were counted and compared with the writers' own record */
  readonly verifiedDocuments: number;
}
