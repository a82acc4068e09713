import { createParser } from '@aosc/contract';
import type { Call } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import type { OpenSearchClient } from '../client/types';
import { readShardStats } from './shard-stats';

const stats = {
  metric: 'refresh',
  fields: ['routing.node', 'refresh.external_total'],
  parseCopy: createParser(
    'copy in the answer of _stats',
    Type.Object({
      routing: Type.Object({ node: Type.String() }),
      refresh: Type.Object({ external_total: Type.Integer() }),
    }),
  ),
};

/**
 * How often each copy on a node was refreshed, including refreshes that found nothing new (`RefreshMetricUpdater`).
 * @returns by shard number
 */
export async function readRefreshes(
  client: OpenSearchClient,
  index: string,
  nodeId: string,
  call: Call,
): Promise<ReadonlyMap<number, number>> {
  const shards = await readShardStats(client, index, stats, call);
  return new Map(
    [...shards].flatMap(([shard, copies]) => {
      const copy = copies.find(({ routing }) => routing.node === nodeId);
      return copy === undefined ? [] : [[shard, copy.refresh.external_total] as const];
    }),
  );
}
