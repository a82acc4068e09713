import { AoscError, type RoutingMode } from '@aosc/contract';
import { findRoutingIncompatibility } from '@aosc/domain';
import type { IndexDescription } from '@aosc/engine';

const virtualShards = 'index.number_of_virtual_shards';

/**
 * BULK_API needs the operator's word (contract, section 1).
 * @throws AoscError illegal_argument
 */
export function checkConsent(
  mode: RoutingMode,
  sourceShards: number,
  targetShards: number,
  consent: boolean,
) {
  if (mode !== 'BULK_API' || consent) return;
  const opening =
    targetShards < sourceShards
      ? `Shrinking from ${sourceShards} to ${targetShards} shards`
      : `Non-multiple shard migration (${sourceShards} → ${targetShards} shards)`;
  throw new AoscError(
    'illegal_argument',
    `${opening} cannot safely preserve documents with custom routing. ` +
      'Set options.accept_data_loss_if_custom_routing_is_used=true to proceed.',
  );
}

/** Where documents of one source shard would scatter over target shards that are not its own. */
export function findTopologyProblems(source: IndexDescription, target: IndexDescription): readonly string[] {
  const found = findRoutingIncompatibility(shapeOf(source), shapeOf(target));
  if (found === undefined) return [];
  const shards = `${source.shardCount}->${target.shardCount}`;
  const difference = `(source=${found.source}, target=${found.target}, shards=${shards})`;
  if (found.setting === 'index.number_of_routing_shards') {
    return [
      `source index [${source.index}] and target index [${target.index}] have different ` +
        `[${found.setting}] ${difference}; recreate the target index with ${found.setting}=${found.source}` +
        // They come before the number of routing shards, and are shown as it.
        (target.settings[virtualShards] === undefined ? '' : ` and without ${virtualShards}`),
    ];
  }
  const partitioned = found.source > 1 ? source : target;
  return [
    `${partitioned === source ? 'source' : 'target'} index [${partitioned.index}] is routing-partitioned ` +
      `(${found.setting}=${partitioned.routingPartitionSize}) and the other is not the same way ${difference}; ` +
      `recreate the target index with ${found.setting}=${found.source}`,
  ];
}

function shapeOf(index: IndexDescription) {
  return {
    shardCount: index.shardCount,
    routingShardCount: index.routingShardCount,
    partitionSize: index.routingPartitionSize,
  };
}
