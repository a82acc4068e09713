export const virtualShards = 'index.number_of_virtual_shards';

/**
 * How many routing shards an index has in effect. Where it has virtual shards, OpenSearch routes by their number
 * instead, and ignores `routing_num_shards` (3.7.0, `OperationRouting.generateShardId`).
 * @param virtual value of the setting
 */
export function routingShardsOf(routingNumShards: number, virtual: string | undefined): number {
  const count = Number(virtual ?? -1);
  return count > 0 ? count : routingNumShards;
}
