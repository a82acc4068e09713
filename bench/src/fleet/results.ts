import type { ByProcess, Circumstances } from '../results';

/** Latencies of one kind of request to the API, in ms, from the moment each was due. */
export interface Latencies {
  readonly requests: number;
  readonly failures: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** All migrations of one point, from the first start request to the last end. */
export interface FleetRun {
  readonly migrations: number;
  /** of each source */
  readonly shards: number;
  /** in the records, ended, before these */
  readonly recorded: number;
  readonly seconds: number;
  /** from each migration's acceptance to its end: the least, the median and the most */
  readonly migrationSeconds: readonly [least: number, median: number, most: number];
  /** longest time that a shard waited before its copy began, from its migration's acceptance, in each migration */
  readonly waitSeconds: readonly [least: number, median: number, most: number];
  /** requests of the service to the cluster; whatever the API asks for those who look at the status is left out */
  readonly requests: number;
  readonly redisCommands: number;
  /** most that Redis had in memory */
  readonly redisBytes: number;
  readonly cpuSeconds?: ByProcess;
  readonly redisCpuSeconds: number;
  readonly clusterCpuSeconds: number;
  readonly status: Latencies;
  readonly list: Latencies;
}

/** Everything the benchmark found, as it is written to the results folder. */
export interface FleetResult extends Circumstances {
  readonly kind: 'fleet';
  readonly documentsPerShard: number;
  readonly heapMb: number;
  readonly runs: readonly FleetRun[];
}
