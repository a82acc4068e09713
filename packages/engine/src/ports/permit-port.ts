import type { Call } from './call';

/** The permit that a backfill job asks for: how many shards are copied from one data node at once is limited. */
export interface Permit {
  /** the only data node that the shard may be read from */
  readonly nodeId: string;
  /**
   * The worker asks after it has claimed the shard, and before it reads anything for the copy. It holds the permit
   * until the job ends.
   * @throws ClusterError
   */
  isGranted(call: Call): Promise<boolean>;
}
