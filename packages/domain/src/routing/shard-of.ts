import { hashOfRouting } from './murmur3';

/** The settings of an index that decide where its documents live. All three are fixed when the index is created. */
export interface IndexRoutingShape {
  readonly shardCount: number;
  /** the effective `index.number_of_routing_shards`: a multiple of `shardCount` */
  readonly routingShardCount: number;
  /** `index.routing_partition_size`; 1: a routing value leads to one shard */
  readonly partitionSize: number;
}

/**
 * The shard a document lives on (OpenSearch's `OperationRouting.generateShardId`). An empty routing counts as none, as
 * it does there.
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

/** Routings tried per shard; the chance that a shard gets none is e^-100. */
const triesPerShard = 100;

/** The key of a document. */
export interface ProbeKey {
  readonly id: string;
  readonly routing: string;
}

/** For each shard the key of a document of this id that would live on it, whether or not it exists. */
export function documentsOnShards(
  shards: readonly number[],
  shape: IndexRoutingShape,
  id = 'aosc-probe',
): ReadonlyMap<number, ProbeKey> {
  const left = new Set(shards);
  const found = new Map<number, ProbeKey>();
  for (let n = 0; n < shape.shardCount * triesPerShard && left.size > 0; n++) {
    const key = { id, routing: `aosc-${n}` };
    const shard = shardOf(key, shape);
    if (left.delete(shard)) found.set(shard, key);
  }
  const [without] = left;
  if (without === undefined) return found;
  throw new RangeError(`no document comes to live on shard ${without} of ${shape.shardCount}`);
}

function floorMod(value: number, modulus: number): number {
  return ((value % modulus) + modulus) % modulus;
}
