import { hashOfRouting } from './murmur3';

/** What of an index decides where its documents live. All three are fixed when the index is made. */
export interface IndexRoutingShape {
  readonly shardCount: number;
  /** the effective `index.number_of_routing_shards`: a multiple of `shardCount` */
  readonly routingShardCount: number;
  /** `index.routing_partition_size`; 1: a routing value leads to one shard */
  readonly partitionSize: number;
}

/**
 * The shard a document lives on (OpenSearch's `OperationRouting.generateShardId`). An empty routing counts as none,
 * as it does there.
 */
export function shardOf(
  document: { readonly id: string; readonly routing: string | undefined },
  { shardCount, routingShardCount, partitionSize }: IndexRoutingShape,
): number {
  const { id, routing } = document;
  const effective = routing === undefined || routing === '' ? id : routing;
  const offset = partitionSize > 1 ? floorMod(hashOfRouting(id), partitionSize) : 0;
  // The sum wraps around at 32 bits, as Java's does.
  const routingShard = floorMod((hashOfRouting(effective) + offset) | 0, routingShardCount);
  return Math.floor(routingShard / (routingShardCount / shardCount));
}

/** Routings that are tried for each shard there is: e^-100 is left. */
const triesPerShard = 100;

/** The key of a document that would live on this shard, whether there is one or not. */
export function documentOnShard(
  shard: number,
  shape: IndexRoutingShape,
): { readonly id: string; readonly routing: string } {
  for (let n = 0; n < shape.shardCount * triesPerShard; n++) {
    const key = { id: 'aosc-probe', routing: `aosc-${n}` };
    if (shardOf(key, shape) === shard) return key;
  }
  throw new RangeError(`no document comes to live on shard ${shard} of ${shape.shardCount}`);
}

function floorMod(value: number, modulus: number): number {
  return ((value % modulus) + modulus) % modulus;
}
