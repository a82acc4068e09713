import { createParser } from '@aosc/contract';
import { type Call, ClusterError } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { requestJson } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { readLimitSetting } from './read-limit-setting';

export interface SnapshotRoom {
  /** points in time that each node allows */
  readonly limit: number;
  /** data nodes by id: their names, and all points in time open on each, also those of other clients */
  readonly nodes: ReadonlyMap<string, { readonly name: string; readonly open: number }>;
}

export const snapshotLimitSetting = 'search.max_open_pit_context';

const limitSetting = { group: 'search', name: 'max_open_pit_context', fallback: 300 };
const parseStats = createParser(
  'answer of _nodes/stats',
  Type.Object({
    _nodes: Type.Object({ failed: Type.Integer() }),
    nodes: Type.Record(
      Type.String(),
      Type.Object({
        name: Type.String(),
        indices: Type.Object({ search: Type.Object({ point_in_time_current: Type.Integer() }) }),
      }),
    ),
  }),
);

/**
 * `GET _cluster/settings` and `GET _nodes/data:true/stats/indices/search`. Each node has the limit for itself and
 * answers 429 `rejected_execution_exception` beyond it. `GET _search/point_in_time/_all` would list ids of some hundred
 * bytes each, but not their nodes.
 */
export async function readSnapshotRoom(client: OpenSearchClient, call: Call): Promise<SnapshotRoom> {
  const [limit, stats] = await Promise.all([
    readSnapshotLimit(client, call),
    requestJson(
      client,
      {
        method: 'GET',
        path: '/_nodes/data:true/stats/indices/search',
        query: { filter_path: '_nodes.failed,nodes.*.name,nodes.*.indices.search.point_in_time_current' },
      },
      parseStats,
      call,
    ),
  ]);
  if (stats._nodes.failed !== 0)
    throw new ClusterError('transient', '_nodes/stats: not every node has answered');
  return {
    limit,
    nodes: new Map(
      Object.entries(stats.nodes).map(([id, { name, indices }]) => [
        id,
        { name, open: indices.search.point_in_time_current },
      ]),
    ),
  };
}

/** Points in time that each node allows. */
export const readSnapshotLimit = (client: OpenSearchClient, call: Call): Promise<number> =>
  readLimitSetting(client, limitSetting, call);
