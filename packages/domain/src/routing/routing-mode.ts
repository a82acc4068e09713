import type { MigrationRecord, RoutingMode } from '@aosc/contract';
import type { IndexRoutingShape } from './shard-of';

type Routing = Pick<MigrationRecord, 'shardRoutingMode' | 'sourceShardCount' | 'targetShardCount'>;

/** What of a migration decides on which shards its documents are. */
export type DocumentsHome = Routing & Pick<MigrationRecord, 'transform'>;

/** The mode follows only from the shard counts (contract, section 1). */
export function selectRoutingMode(sourceShards: number, targetShards: number): RoutingMode {
  if (sourceShards === targetShards) return 'SAME_SHARD';
  const factor = targetShards / sourceShards;
  return factor > 1 && isPowerOfTwo(factor) ? 'SPLIT_SHARD' : 'BULK_API';
}

function isPowerOfTwo(value: number): boolean {
  return Number.isInteger(value) && Number.isInteger(Math.log2(value));
}

/**
 * The target shards that can hold documents of a source shard, ascending. True in SAME_SHARD and SPLIT_SHARD only when
 * {@link findRoutingIncompatibility} finds nothing.
 */
export function targetShardsOf(
  { shardRoutingMode: mode, sourceShardCount, targetShardCount }: Routing,
  sourceShard: number,
): readonly number[] {
  const ofEach = targetShardCount / sourceShardCount;
  switch (mode) {
    case 'SAME_SHARD':
      return [sourceShard];
    case 'SPLIT_SHARD':
      return range(sourceShard * ofEach, ofEach);
    case 'BULK_API':
      return range(0, targetShardCount);
  }
}

function range(from: number, length: number): readonly number[] {
  return Array.from({ length }, (_, i) => from + i);
}

/** The index setting in which source and target must agree but don't, with both values. */
export interface RoutingIncompatibility {
  readonly setting: 'index.number_of_routing_shards' | 'index.routing_partition_size';
  readonly source: number;
  readonly target: number;
}

/**
 * In SAME_SHARD and SPLIT_SHARD a source shard's documents stay together only when both indices cut the same ring of
 * routing shards. From or to a single shard, and in BULK_API, any target will do.
 * @returns undefined when the two fit
 */
export function findRoutingIncompatibility(
  source: IndexRoutingShape,
  target: IndexRoutingShape,
): RoutingIncompatibility | undefined {
  if (Math.min(source.shardCount, target.shardCount) === 1) return undefined;
  if (selectRoutingMode(source.shardCount, target.shardCount) === 'BULK_API') return undefined;
  if (source.routingShardCount !== target.routingShardCount) {
    return {
      setting: 'index.number_of_routing_shards',
      source: source.routingShardCount,
      target: target.routingShardCount,
    };
  }
  if (source.partitionSize !== target.partitionSize) {
    return {
      setting: 'index.routing_partition_size',
      source: source.partitionSize,
      target: target.partitionSize,
    };
  }
  return undefined;
}
