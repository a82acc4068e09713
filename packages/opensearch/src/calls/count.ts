import { createParser, maybe } from '@aosc/contract';
import { type IndexStatePort, type Call, ClusterError } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { wholeSearchBody, wholeSearchQuery } from './whole-search';
import type { AsksOf } from '../bind-calls';
import { parseAnswer, request } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { scanSearchAnswer } from '../codec/search-answer';
import { indexPath } from '../index-path';

const parse = createParser(
  'answer of _search',
  Type.Object({
    _shards: Type.Object({ total: Type.Integer() }),
    hits: Type.Object({
      total: Type.Object({ value: Type.Integer({ minimum: 0 }), relation: Type.Literal('eq') }),
    }),
    profile: maybe(Type.Object({ shards: Type.Array(Type.Object({ id: Type.String() })) })),
  }),
);

/**
 * `POST {index}/_search?size=0&preference=_primary`: root documents. Not `_count`, which knows none of the parameters
 * of {@link wholeSearchQuery}: it counts what a default search pipeline leaves of the query, and does not say when a
 * time-out has ended it early. OpenSearch leaves out an unassigned primary silently (200, `failed: 0`, `successful`
 * below `total`), so this counts the shards of the answer.
 */
export const count: AsksOf<IndexStatePort['count']> = async (client, index, query, call) => {
  return countWhere(client, index, { preference: '_primary', query }, call);
};

/** Which copies to count instead. */
export interface CountedCopies {
  readonly preference: string;
  readonly query: Readonly<Record<string, unknown>> | undefined;
  /** the copy that must have answered; left out: all that the search covers */
  readonly from?: CountedCopy;
}

/** One copy of a shard. */
export interface CountedCopy {
  /** the node that must have counted; undefined: the preference allows no other */
  readonly nodeId: string | undefined;
}

/** {@link count} for other copies or documents. */
export async function countWhere(
  client: OpenSearchClient,
  index: string,
  { preference, query, from }: CountedCopies,
  call: Call,
): Promise<number> {
  const what = {
    method: 'POST',
    path: `/${indexPath(index)}/_search`,
    query: { ...wholeSearchQuery, preference, size: 0, track_total_hits: true },
    body: JSON.stringify({ ...wholeSearchBody, ...countBody(query, from) }),
  } as const;
  return readCount(await request(client, what, call), index, from);
}

/** The body of a counting search. A profile names the node of each shard that was searched. */
export function countBody(query: CountedCopies['query'], from: CountedCopy | undefined) {
  return {
    ...(query !== undefined && { query }),
    ...(from?.nodeId !== undefined && { profile: true }),
  };
}

/**
 * Reads the answer of a search of size 0 with `track_total_hits`.
 * @param from the copy that must have answered; left out: all that the search covers
 * @throws ClusterError 'transient' when it is not whole, or another node has counted
 */
export function readCount(bytes: Buffer, index: string, from?: CountedCopy): number {
  scanSearchAnswer(bytes, () => undefined);
  const { hits, _shards, profile } = parseAnswer(bytes, parse, 'count of documents');
  if (from !== undefined && _shards.total !== 1) {
    throw new ClusterError('transient', `count of ${index}: ${_shards.total} shards instead of 1`);
  }
  if (from?.nodeId !== undefined && profile?.shards[0]?.id.startsWith(`[${from.nodeId}][`) !== true) {
    throw new ClusterError('transient', `count of ${index}: another node than [${from.nodeId}] has counted`);
  }
  return hits.total.value;
}
