import type { ShardJobKind } from '@aosc/domain';

/** A shard of a migration, and where it is read from. */
export interface ShardPlace {
  readonly shard: number;
  /** data node that holds the source primary: a backfill's permit is counted there */
  readonly nodeId: string;
}

/** The queue as the scheduler sees it. */
export interface JobsPort {
  /**
   * Adds the jobs that are not there yet. A backfill that still waits for a permit of another node now waits for a
   * permit of this node.
   * @param key the migration's
   */
  ensureShardJobs(kind: ShardJobKind, key: string, places: readonly ShardPlace[]): Promise<void>;
  /** Makes the resting replay jobs of converged shards run now: the write block is near. */
  hurryReplays(key: string, shards: readonly number[]): Promise<void>;
  /**
   * Queues a second job beside the first, because a worker that hangs may keep the first for long. If the first job
   * resumes after all, it finds that the second job has taken the shard.
   */
  replaceShardJob(kind: ShardJobKind, key: string, place: ShardPlace): Promise<void>;
  /** Queues the job that verifies a migration, unless it is there. */
  ensureVerifyJob(key: string): Promise<void>;
  /**
   * Takes the jobs of a migration that has ended out of the queues. Workers would drop them by themselves, but a queue
   * with 0 permits has no worker. A job that a worker works on ends by itself.
   */
  dropShardJobs(key: string, shardCount: number): Promise<void>;
}
