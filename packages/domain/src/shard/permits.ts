/** What is known of one data node when a job asks for a permit to backfill from it. Shards by name. */
export interface PermitView {
  /** how many shards may be backfilled from the node at once; 0: none */
  readonly limit: number;
  /** whose jobs have been taken from the node's queue and not ended yet, the oldest first */
  readonly active: readonly string[];
  /** which backfill from the node by their records and show life, with a job or without one */
  readonly working: readonly string[];
  /** the shard whose job asks; its record is claimed already */
  readonly self: string;
}

/**
 * May the job begin? The jobs before it and the shards at work that Redis has forgotten (FLUSHALL) come first. Since
 * each one counts what is older than itself, and claims its shard before it looks, any number of jobs may ask at the
 * same moment: no more than `limit` of them are told yes. A shard that was told yes keeps the permit when the limit falls.
 */
export function isPermitGranted({ limit, active, working, self }: PermitView): boolean {
  const rank = active.indexOf(self);
  // Redis has forgotten this job too: its lock is gone, and so is the right to work.
  if (rank === -1) return false;
  const known = new Set(active);
  const forgotten = new Set(working.filter((shard) => !known.has(shard)));
  return rank + forgotten.size < limit;
}
