import { createParser } from '@aosc/contract';
import { type Call, ClusterError } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { parseAnswer, request } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { scanSearchAnswer } from '../codec/search-answer';
import { indexPath } from '../index-path';
import { wholeSearchBody, wholeSearchQuery } from './whole-search';

const parse = createParser(
  'answer of _search',
  Type.Object({
    _shards: Type.Object({ total: Type.Integer() }),
    hits: Type.Object({
      total: Type.Object({ value: Type.Integer({ minimum: 0 }), relation: Type.Literal('eq') }),
    }),
  }),
);

/**
 * `POST {index}/_search?size=0&preference=_primary`: root documents. Not `_count`, which knows none of the
 * parameters of {@link wholeSearchQuery}: it counts what a default search pipeline leaves of the query, and does not
 * say when a time-out has ended it early. An unassigned primary is left out silently (200, `failed: 0`, `successful`
 * below `total`), so every shard is counted here.
 */
export async function count(
  client: OpenSearchClient,
  index: string,
  query: Readonly<Record<string, unknown>> | undefined,
  call: Call,
): Promise<number> {
  return countWhere(client, index, { preference: '_primary', query }, call);
}

/**
 * The same of copies that are named otherwise.
 * @param where.shards how many must have answered; left out: all that were asked
 */
export async function countWhere(
  client: OpenSearchClient,
  index: string,
  where: {
    readonly preference: string;
    readonly query: Readonly<Record<string, unknown>> | undefined;
    readonly shards?: number;
  },
  call: Call,
): Promise<number> {
  const { preference, query, shards } = where;
  const what = {
    method: 'POST',
    path: `/${indexPath(index)}/_search`,
    query: { ...wholeSearchQuery, preference, size: 0, track_total_hits: true },
    body: JSON.stringify({ ...wholeSearchBody, ...(query === undefined ? {} : { query }) }),
  } as const;
  return readCount(await request(client, what, call), index, shards);
}

/**
 * Reads the answer of a search of size 0 with `track_total_hits`.
 * @param shards how many must have answered; left out: all that were asked
 * @throws ClusterError 'transient' when it is not whole
 */
export function readCount(bytes: Buffer, index: string, shards?: number): number {
  scanSearchAnswer(bytes, () => undefined);
  const { hits, _shards } = parseAnswer(bytes, parse, 'count of documents');
  if (shards !== undefined && _shards.total !== shards) {
    throw new ClusterError('transient', `count of ${index}: ${_shards.total} shards instead of ${shards}`);
  }
  return hits.total.value;
}
