import { createParser } from '@aosc/contract';
import type { Call } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { requestJson } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { readLimitSetting } from './read-limit-setting';

/** Shards of all indices together, including replicas. */
export interface ShardRoom {
  /** shards that the cluster allows */
  readonly limit: number;
  /** shards that exist */
  readonly used: number;
  readonly dataNodes: number;
}

const parse = createParser(
  'answer of _cluster/health',
  Type.Object({
    number_of_data_nodes: Type.Integer(),
    active_shards: Type.Integer(),
    initializing_shards: Type.Integer(),
    unassigned_shards: Type.Integer(),
  }),
);
const perNode = { group: 'cluster', name: 'max_shards_per_node', fallback: 1_000 };

/** `GET _cluster/settings` and `GET _cluster/health`: above the limit OpenSearch creates no index. */
export async function readShardRoom(client: OpenSearchClient, call: Call): Promise<ShardRoom> {
  const fields = 'number_of_data_nodes,active_shards,initializing_shards,unassigned_shards';
  const [limitPerNode, health] = await Promise.all([
    readLimitSetting(client, perNode, call),
    requestJson(
      client,
      { method: 'GET', path: '/_cluster/health', query: { filter_path: fields } },
      parse,
      call,
    ),
  ]);
  const { number_of_data_nodes: dataNodes } = health;
  return {
    limit: limitPerNode * dataNodes,
    used: health.active_shards + health.initializing_shards + health.unassigned_shards,
    dataNodes,
  };
}
