import type { ShardJobKind } from '@aosc/domain';

/** The queue as the scheduler sees it. Adding a job that is there already does nothing. */
export interface JobsPort {
  /** @param nodeId data node that holds the source primary: the backfill's permit is counted there */
  ensureShardJob(kind: ShardJobKind, key: string, shard: number, nodeId: string): Promise<void>;
}
