import { createParser, maybe } from '@aosc/contract';
import { type IndexStatePort, type Call, ClusterError, type ShardCopy } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import {
  multiSearch,
  wholeSearchBody,
  wholeSearchQuery,
  isPipelineRefused,
  wholeMultiSearch,
} from './search-snapshot';
import { fromNodeOrPrimary, onlyNode } from './only-node';
import type { AsksOf } from '../bind-calls';
import { parseAnswer, request, type OpenSearchClient } from '../client/request';
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
interface Counted {
  readonly preference: string;
  readonly query: Readonly<Record<string, unknown>> | undefined;
  /** one copy must have answered, on this node where the preference allows others; left out: all that the search covers */
  readonly from?: { readonly nodeId?: string };
}

/** {@link count} for other copies or documents. */
async function countWhere(
  client: OpenSearchClient,
  index: string,
  counted: Counted,
  call: Call,
): Promise<number> {
  const { preference, from } = counted;
  const what = {
    method: 'POST',
    path: `/${indexPath(index)}/_search`,
    query: { ...wholeSearchQuery, preference, size: 0, track_total_hits: true },
    body: JSON.stringify({ ...wholeSearchBody, ...countBody(counted) }),
  } as const;
  return readCount(await request(client, what, call), index, from);
}

/** The body of a counting search. A profile names the node of each shard that was searched. */
function countBody({ query, from }: Counted) {
  return {
    ...(query !== undefined && { query }),
    ...(from?.nodeId !== undefined && { profile: true }),
  };
}

/**
 * Reads the answer of a search of size 0 with `track_total_hits`.
 * @throws ClusterError 'transient' when it is not whole, or another node has counted
 */
function readCount(bytes: Buffer, index: string, from: Counted['from']): number {
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

/** Searches of one request: OpenSearch runs them side by side, each on one shard. */
const perRequest = 200;

/**
 * `POST {index}/_msearch` with a search of size 0 on each copy, which counts root documents. Every search names its
 * node.
 * @returns in the order of the copies
 * @throws ClusterError of the first that failed or is not whole
 */
export const countCopies: AsksOf<IndexStatePort['countCopies']> = async (
  client,
  index,
  copies,
  query,
  call,
) => {
  const counts: number[] = [];
  for (let start = 0; start < copies.length; start += perRequest) {
    const some = copies.slice(start, start + perRequest);
    const countBy = (describe: (copy: ShardCopy) => Omit<Counted, 'query'>): Promise<readonly number[]> =>
      countTogether(
        client,
        index,
        some.map((copy) => ({ ...describe(copy), query })),
        call,
      );
    const found = await fromNodeOrPrimary(
      client,
      () =>
        countBy(({ shard, nodeId }) => ({ preference: `_shards:${shard}|${onlyNode(nodeId)}`, from: {} })),
      () => countBy(({ shard, nodeId }) => ({ preference: `_shards:${shard}|_primary`, from: { nodeId } })),
    );
    counts.push(...found);
  }
  return counts;
};

async function countTogether(
  client: OpenSearchClient,
  index: string,
  copies: readonly Counted[],
  call: Call,
): Promise<readonly number[]> {
  const searches = copies.map((copy) => ({
    header: JSON.stringify({ ...wholeMultiSearch.header, preference: copy.preference }),
    body: JSON.stringify({ ...wholeMultiSearch.body, size: 0, track_total_hits: true, ...countBody(copy) }),
  }));
  // OpenSearch refuses the name in a header where `rest.action.multi.allow_explicit_index` is false.
  const path = `/${indexPath(index)}/_msearch`;
  try {
    const answers = await multiSearch(client, path, searches, call);
    return answers.map((answer, at) => {
      if (answer instanceof ClusterError) throw answer;
      return readCount(answer, index, copies[at]?.from);
    });
  } catch (error) {
    if (!isPipelineRefused(error)) throw error;
    return Promise.all(copies.map((copy) => countWhere(client, index, copy, call)));
  }
}
