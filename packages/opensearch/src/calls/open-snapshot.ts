import { createParser } from '@aosc/contract';
import { type Call, ClusterError } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { requestJson } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { indexPath } from '../index-path';
import { ShardsSchema } from './shapes';

const parse = createParser(
  'answer of _search/point_in_time',
  Type.Object({ pit_id: Type.String({ minLength: 1 }), _shards: ShardsSchema }),
);

/**
 * `POST {index}/_search/point_in_time` on the primary of one shard. `allow_partial_pit_creation` is true by
 * default and would give a snapshot of nothing. The name must be the concrete index: through an alias the
 * snapshot would be filtered by the alias's filter, silently.
 * @throws ClusterError 'transient' (503) while the primary is unassigned, 'invalid' (400 "invalid id: [null]")
 *   for a shard number the index doesn't have
 */
export async function openSnapshot(
  client: OpenSearchClient,
  index: string,
  shard: number,
  keepAliveMs: number,
  call: Call,
): Promise<string> {
  const { pit_id, _shards } = await requestJson(
    client,
    {
      method: 'POST',
      path: `/${indexPath(index)}/_search/point_in_time`,
      query: {
        keep_alive: `${keepAliveMs}ms`,
        preference: `_shards:${shard}|_primary`,
        allow_partial_pit_creation: false,
      },
    },
    parse,
    call,
  );
  if (_shards.total !== 1 || _shards.successful !== 1 || _shards.failed !== 0) {
    throw new ClusterError(
      'transient',
      `point in time of ${index}[${shard}]: ${_shards.successful} of ${_shards.total} shards, one was wanted`,
    );
  }
  return pit_id;
}
