import { createParser, ownValue } from '@aosc/contract';
import { type Call, ClusterError } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { requestJson } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { indexPath } from '../index-path';
import { ShardsSchema } from './shapes';

const parseAnswer = createParser(
  'answer of _stats',
  Type.Object({
    _shards: ShardsSchema,
    indices: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Object({ shards: Type.Optional(Type.Record(Type.String(), Type.Array(Type.Unknown()))) }),
      ),
    ),
  }),
);

/** Which statistics the copies of an index's shards report. */
export interface ShardStats<T> {
  readonly metric: string;
  /** of each copy, for `filter_path` */
  readonly fields: readonly string[];
  readonly parseCopy: (value: unknown) => T;
}

/**
 * `GET {index}/_stats/{metric}?level=shards`: each copy reports itself. The answer leaves out copies that move, start
 * or are gone.
 * @returns by shard number
 * @throws ClusterError 'transient' when a copy has failed
 */
export async function readShardStats<T>(
  client: OpenSearchClient,
  index: string,
  { metric, fields, parseCopy }: ShardStats<T>,
  call: Call,
): Promise<ReadonlyMap<number, readonly T[]>> {
  const path = `/${indexPath(index)}/_stats/${metric}`;
  const wanted = ['_shards', ...fields.map((field) => `indices.*.shards.*.${field}`)];
  const query = { level: 'shards', filter_path: wanted.join(',') };
  const parse = (value: unknown) => {
    const { _shards, indices } = parseAnswer(value);
    const shards = Object.entries(ownValue(indices, index)?.shards ?? {});
    return {
      failed: _shards.failed,
      copies: shards.map(([shard, copies]) => [Number(shard), copies.map(parseCopy)] as const),
    };
  };
  const { failed, copies } = await requestJson(client, { method: 'GET', path, query }, parse, call);
  if (failed !== 0) {
    throw new ClusterError('transient', `_stats of ${index} failed on ${failed} shard copies`);
  }
  return new Map(copies);
}
