import type { RedisAccess } from '@aosc/contract';

/**
 * Every queue and job name, from one place. All queues of an installation live under one BullMQ prefix, made of
 * the configured prefix and the cluster's uuid, so that two clusters can share one Redis.
 *
 * | queue | jobs | who works |
 * |---|---|---|
 * | `advance` | one per migration: drive it as far as it goes | scheduler |
 * | `backfill-<node>` | one per shard; its global concurrency is that data node's number of permits | worker |
 * | `replay` | one per shard, a slice of rounds, then again | worker |
 * | `verify` | one per migration: compare source and target | worker |
 * | `catch-up` | one per shard, under the write block, with short locks and slots of its own | worker |
 *
 * Job ids are BullMQ's; what makes a job the only one is its deduplication id, the shard's or migration's name.
 */
export const advanceQueue = 'advance';
export const replayQueue = 'replay';
export const catchUpQueue = 'catch-up';
export const verifyQueue = 'verify';
const backfillPrefix = 'backfill-';

export function backfillQueue(nodeId: string): string {
  return `${backfillPrefix}${nodeId}`;
}

/** The inverse. */
export function nodeOfQueue(name: string): string {
  return name.slice(backfillPrefix.length);
}

/** Where Redis lists the data nodes that have a queue. @param prefix with the cluster's uuid */
export function nodesKey(prefix: string): string {
  return `${prefix}:nodes`;
}

/**
 * First part of all keys. A Redis Cluster spreads keys over its nodes by the part in braces. BullMQ's scripts need all
 * keys of a queue on one node, and the service searches all queues of an installation together, so they all share it.
 */
export function rootPrefix({ redisCluster }: Pick<RedisAccess, 'redisCluster'>, prefix: string): string {
  return redisCluster === undefined ? prefix : `{${prefix}}`;
}

/** BullMQ refuses `:` in queue names, not in prefixes; it separates the parts of every key. @param root {@link rootPrefix} */
export function keyPrefix(root: string, clusterUuid: string): string {
  return `${root}:${clusterUuid}`;
}

export function shardJobName(key: string, shard: number): string {
  return `${key}-${shard}`;
}

/** Which workers or schedulers take jobs: a sorted set beside the queues. */
export function presenceKey(prefix: string, who: 'workers' | 'schedulers'): string {
  return `${prefix}:${who}`;
}

/**
 * Where Redis says which installation it belongs to. The key depends only on the prefix, so that two clusters meet
 * there.
 * @param root {@link rootPrefix}
 */
export function markKey(root: string): string {
  return `${root}:installation`;
}

/**
 * Where Redis counts the points that callers of the API use up.
 * @param root {@link rootPrefix}
 */
export function budgetKey(root: string, name: string): string {
  return `${root}:api-${name}`;
}
