/** What is known of one data node when a job asks for a permit to backfill from it. Shards by name. */
export interface PermitView {
  /** how many shards may be backfilled from the node at once; 0: none */
  readonly limit: number;
  /** shards whose jobs were taken from the node's queue and have not ended, the oldest first */
  readonly active: readonly string[];
  /** shards that backfill from the node by their records and show life, with a job or without */
  readonly working: readonly string[];
  /** the shard whose job asks; it has claimed its record already */
  readonly self: string;
}

/**
 * May the job begin? Older jobs, and shards at work that Redis has forgotten (FLUSHALL), come first. Each job counts
 * what is older than itself, and claims its shard before it looks, so any number of jobs may ask at the same moment: at
 * most `limit` of them get a permit. A shard keeps its permit when the limit falls.
 */
export function isPermitGranted({ limit, active, working, self }: PermitView): boolean {
  const rank = active.indexOf(self);
  // Redis has forgotten this job too: its lock is gone, and with it the right to work.
  if (rank === -1) return false;
  const known = new Set(active);
  const forgotten = new Set(working.filter((shard) => !known.has(shard)));
  return rank + forgotten.size < limit;
}
