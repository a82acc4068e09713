import { createParser } from '@aosc/contract';
import { type Call, ClusterError } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { requestJson } from '../client/request';
import type { OpenSearchClient } from '../client/types';

export interface SnapshotRoom {
  /** points in time that each node allows */
  readonly limit: number;
  /** data nodes by id: their names, and the points in time open on each, whoever opened them */
  readonly nodes: ReadonlyMap<string, { readonly name: string; readonly open: number }>;
}

export const snapshotLimitSetting = 'search.max_open_pit_context';

const Scope = Type.Optional(
  Type.Object({ search: Type.Optional(Type.Object({ max_open_pit_context: Type.Optional(Type.String()) })) }),
);
const parseSettings = createParser(
  'answer of _cluster/settings',
  Type.Object({ persistent: Scope, transient: Scope, defaults: Scope }),
);
/** OpenSearch's own, where a cluster does not show what it has not been told. */
const defaultLimit = '300';
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
 * `GET _cluster/settings` and `GET _nodes/data:true/stats/indices/search`. The limit holds for each node by itself;
 * OpenSearch answers 429 `rejected_execution_exception` beyond it. `GET _search/point_in_time/_all` would list ids of
 * some hundred bytes each and not say on which nodes they are.
 */
export async function readSnapshotRoom(client: OpenSearchClient, call: Call): Promise<SnapshotRoom> {
  const [settings, stats] = await Promise.all([
    requestJson(
      client,
      {
        method: 'GET',
        path: '/_cluster/settings',
        query: { include_defaults: true, filter_path: `*.${snapshotLimitSetting}` },
      },
      parseSettings,
      call,
    ),
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
  const { transient, persistent, defaults } = settings;
  const limit = [transient, persistent, defaults]
    .map((scope) => scope?.search?.max_open_pit_context)
    .find((value) => value !== undefined);
  return {
    limit: Number(limit ?? defaultLimit),
    nodes: new Map(
      Object.entries(stats.nodes).map(([id, { name, indices }]) => [
        id,
        { name, open: indices.search.point_in_time_current },
      ]),
    ),
  };
}
