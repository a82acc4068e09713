/**
 * Every queue and job name, from one place. All queues of an installation live under one BullMQ prefix, made of
 * the configured prefix and the cluster's uuid, so that two clusters can share one Redis.
 *
 * | queue | jobs | who works |
 * |---|---|---|
 * | `advance` | one per migration: drive it as far as it goes | scheduler |
 * | `backfill-<node>` | one per shard; its global concurrency is that data node's number of permits | worker |
 * | `replay` | one per shard, a slice of rounds, then again | worker |
 * | `catch-up` | one per shard, under the write block, with short locks and slots of its own | worker |
 *
 * Job ids are BullMQ's; what makes a job the only one is its deduplication id, the shard's or migration's name.
 */
export const advanceQueue = 'advance';
export const replayQueue = 'replay';
export const catchUpQueue = 'catch-up';
const backfillPrefix = 'backfill-';

export function backfillQueue(nodeId: string): string {
  return `${backfillPrefix}${nodeId}`;
}

/** The other way round. */
export function nodeOfQueue(name: string): string {
  return name.slice(backfillPrefix.length);
}

/** Where Redis lists the data nodes that have a queue. @param prefix with the cluster's uuid */
export function nodesKey(prefix: string): string {
  return `${prefix}:nodes`;
}

/** BullMQ refuses `:` in queue names, not in prefixes; it separates the parts of every key. */
export function keyPrefix(prefix: string, clusterUuid: string): string {
  return `${prefix}:${clusterUuid}`;
}

export function shardJobName(key: string, shard: number): string {
  return `${key}-${shard}`;
}

/** Which workers take jobs: a sorted set beside the queues. */
export function workersKey(prefix: string): string {
  return `${prefix}:workers`;
}

/** Where Redis says whose it is: of the prefix alone, so that two clusters meet there. */
export function markKey(prefix: string): string {
  return `${prefix}:installation`;
}
