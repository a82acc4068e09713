import { createParser } from '@aosc/contract';
import { type Call, ClusterError } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { parseAnswer, request } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { scanSearchAnswer } from '../codec/search-answer';
import { indexPath } from '../index-path';
import { readRouting } from './read-routing';
import { wholeSearchBody, wholeSearchQuery } from './whole-search';

const parse = createParser(
  'answer of _search',
  Type.Object({
    hits: Type.Object({
      total: Type.Object({ value: Type.Integer({ minimum: 0 }), relation: Type.Literal('eq') }),
    }),
    _shards: Type.Object({ total: Type.Integer() }),
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
  return (await countWhere(client, index, query, '_primary', call)).documents;
}

/**
 * {@link count} of each shard, by a search of its own: `_shards:n|_primary`. Which shards there are is read from the
 * routing table.
 */
export async function countByShard(
  client: OpenSearchClient,
  index: string,
  query: Readonly<Record<string, unknown>> | undefined,
  call: Call,
): Promise<ReadonlyMap<number, number>> {
  const { primaries } = await readRouting(client, index, call);
  const counts = await Promise.all(
    primaries.map(async ({ shard }) => {
      const { documents, shards } = await countWhere(client, index, query, `_shards:${shard}|_primary`, call);
      if (shards !== 1) throw new ClusterError('transient', `count of ${index}[${shard}]: ${shards} shards`);
      return [shard, documents] as const;
    }),
  );
  return new Map(counts);
}

async function countWhere(
  client: OpenSearchClient,
  index: string,
  query: Readonly<Record<string, unknown>> | undefined,
  preference: string,
  call: Call,
): Promise<{ documents: number; shards: number }> {
  const what = {
    method: 'POST',
    path: `/${indexPath(index)}/_search`,
    query: { ...wholeSearchQuery, preference, size: 0, track_total_hits: true },
    body: JSON.stringify({ ...wholeSearchBody, ...(query === undefined ? {} : { query }) }),
  } as const;
  const bytes = await request(client, what, call);
  scanSearchAnswer(bytes, () => undefined);
  const { hits, _shards } = parseAnswer(bytes, parse, 'count of documents');
  return { documents: hits.total.value, shards: _shards.total };
}
