import { byName, createParser, maybe, ownValue } from '@aosc/contract';
import { type Call, ClusterError } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { getJson, type OpenSearchClient } from '../client/request';

const Scope = maybe(byName(byName(Type.String())));
const parseSettings = createParser(
  'answer of _cluster/settings',
  Type.Object({ persistent: Scope, transient: Scope, defaults: Scope }),
);
const parseHealth = createParser(
  'answer of _cluster/health',
  Type.Object({
    number_of_data_nodes: Type.Integer(),
    active_shards: Type.Integer(),
    initializing_shards: Type.Integer(),
    unassigned_shards: Type.Integer(),
  }),
);
const parseStats = createParser(
  'answer of _nodes/stats',
  Type.Object({
    _nodes: Type.Object({ failed: Type.Integer() }),
    nodes: byName(
      Type.Object({
        name: Type.String(),
        indices: Type.Object({
          search: Type.Object({ open_contexts: Type.Integer(), point_in_time_current: Type.Integer() }),
        }),
      }),
    ),
  }),
);

/**
 * `GET _cluster/settings`, from which this reads one number.
 * @param name with one dot
 * @param fallback OpenSearch's own default, for a cluster that shows only settings that were set
 */
async function readLimit(
  client: OpenSearchClient,
  name: string,
  fallback: number,
  call: Call,
): Promise<number> {
  const [group = '', own = ''] = name.split('.');
  const query = { include_defaults: true, filter_path: `*.${name}` };
  const answer = await getJson(client, '/_cluster/settings', query, parseSettings, call);
  const { transient, persistent, defaults } = answer;
  const value = [transient, persistent, defaults]
    .map((scope) => ownValue(ownValue(scope ?? {}, group) ?? {}, own))
    .find((text) => text !== undefined);
  return Number(value ?? fallback);
}

/** Buckets that one search may return; the copy counts documents with as many. */
export const readBucketLimit = (client: OpenSearchClient, call: Call): Promise<number> =>
  readLimit(client, 'search.max_buckets', 65_535, call);

/** `GET _cluster/settings` and `GET _cluster/health`: above the limit OpenSearch creates no index. */
export async function readShardRoom(client: OpenSearchClient, call: Call) {
  const fields = 'number_of_data_nodes,active_shards,initializing_shards,unassigned_shards';
  const [limitPerNode, health] = await Promise.all([
    readLimit(client, 'cluster.max_shards_per_node', 1_000, call),
    getJson(client, '/_cluster/health', { filter_path: fields }, parseHealth, call),
  ]);
  const { number_of_data_nodes: dataNodes } = health;
  return {
    /** shards that the cluster allows */
    limit: limitPerNode * dataNodes,
    /** shards that exist */
    used: health.active_shards + health.initializing_shards + health.unassigned_shards,
    dataNodes,
  };
}
/** Shards of all indices together, including replicas. */
export type ShardRoom = Awaited<ReturnType<typeof readShardRoom>>;

export const snapshotLimitSetting = 'search.max_open_pit_context';

/** Points in time that each node allows. */
export const readSnapshotLimit = (client: OpenSearchClient, call: Call): Promise<number> =>
  readLimit(client, snapshotLimitSetting, 300, call);

/**
 * `GET _cluster/settings` and `GET _nodes/data:true/stats/indices/search`. Each node has the limit for itself and
 * answers 429 `rejected_execution_exception` beyond it. `GET _search/point_in_time/_all` would list ids of some hundred
 * bytes each, but not their nodes. An index that is deleted with open points in time closes them, and its node goes on
 * counting them in `point_in_time_current` until it is started again (seen on 3.8.0). `open_contexts` counts scrolls and
 * running searches as well, but nothing that has ended. So the lower of the two is the closest bound.
 */
export async function readSnapshotRoom(client: OpenSearchClient, call: Call) {
  const figures = ['point_in_time_current', 'open_contexts'].map((name) => `nodes.*.indices.search.${name}`);
  const query = { filter_path: ['_nodes.failed', 'nodes.*.name', ...figures].join(',') };
  const [limit, stats] = await Promise.all([
    readSnapshotLimit(client, call),
    getJson(client, '/_nodes/data:true/stats/indices/search', query, parseStats, call),
  ]);
  if (stats._nodes.failed !== 0)
    throw new ClusterError('transient', '_nodes/stats: not every node has answered');
  const nodes = Object.entries(stats.nodes).map(([id, { name, indices }]) => {
    const { open_contexts: contexts, point_in_time_current: points } = indices.search;
    return [id, { name, open: Math.min(contexts, points) }] as const;
  });
  return {
    /** points in time that each node allows */
    limit,
    /** data nodes by id: their names, and at most how many points in time are open on each, of all clients */
    nodes: new Map(nodes),
  };
}
export type SnapshotRoom = Awaited<ReturnType<typeof readSnapshotRoom>>;
