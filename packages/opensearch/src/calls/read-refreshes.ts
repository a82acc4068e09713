import { createParser, ownValue } from '@aosc/contract';
import { type Call, ClusterError } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { requestJson } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { indexPath } from '../index-path';
import { ShardsSchema } from './shapes';

const CopySchema = Type.Object({
  routing: Type.Object({ node: Type.String() }),
  refresh: Type.Object({ external_total: Type.Integer() }),
});

const parse = createParser(
  'answer of _stats',
  Type.Object({
    _shards: ShardsSchema,
    indices: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Object({ shards: Type.Optional(Type.Record(Type.String(), Type.Array(CopySchema))) }),
      ),
    ),
  }),
);

const wanted = [
  '_shards',
  'indices.*.shards.*.routing.node',
  'indices.*.shards.*.refresh.external_total',
].join(',');

/**
 * `GET {index}/_stats/refresh?level=shards`: how often the copies on a node were made to show all that they hold, also
 * when that was nothing new (`RefreshMetricUpdater`). Each copy tells of itself.
 * @returns by shard number
 */
export async function readRefreshes(
  client: OpenSearchClient,
  index: string,
  nodeId: string,
  call: Call,
): Promise<ReadonlyMap<number, number>> {
  const path = `/${indexPath(index)}/_stats/refresh`;
  const query = { level: 'shards', filter_path: wanted };
  const answer = await requestJson(client, { method: 'GET', path, query }, parse, call);
  if (answer._shards.failed !== 0) {
    throw new ClusterError('transient', `_stats of ${index} failed on ${answer._shards.failed} shard copies`);
  }
  const shards = Object.entries(ownValue(answer.indices, index)?.shards ?? {});
  return new Map(
    shards.flatMap(([shard, copies]) => {
      const told = copies.find(({ routing }) => routing.node === nodeId);
      return told === undefined ? [] : [[Number(shard), told.refresh.external_total] as const];
    }),
  );
}
