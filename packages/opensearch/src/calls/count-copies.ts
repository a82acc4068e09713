import { type IndexStatePort, type Call, ClusterError, type ShardCopy } from '@aosc/engine';
import { countBody, type CountedCopies, type CountedCopy, countWhere, readCount } from './count';
import { multiSearch } from './multi-search';
import { fromNodeOrPrimary, onlyNode } from './only-node';
import { isPipelineRefused, wholeMultiSearch } from './whole-search';
import type { AsksOf } from '../bind-calls';
import type { OpenSearchClient } from '../client/types';
import { indexPath } from '../index-path';

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
    counts.push(...(await countSome(client, index, copies.slice(start, start + perRequest), query, call)));
  }
  return counts;
};

async function countSome(
  ...[client, index, copies, query, call]: Parameters<typeof countCopies>
): Promise<readonly number[]> {
  const count = (each: (copy: ShardCopy) => CountedCopies): Promise<readonly number[]> =>
    countTogether(client, index, copies.map(each), call);
  return fromNodeOrPrimary(
    client,
    () =>
      count(({ shard, nodeId }) => ({
        preference: `_shards:${shard}|${onlyNode(nodeId)}`,
        query,
        from: named,
      })),
    () =>
      count(({ shard, nodeId }) => ({ preference: `_shards:${shard}|_primary`, query, from: { nodeId } })),
  );
}

/** The preference names the node. */
const named: CountedCopy = { nodeId: undefined };

async function countTogether(
  client: OpenSearchClient,
  index: string,
  copies: readonly CountedCopies[],
  call: Call,
): Promise<readonly number[]> {
  const searches = copies.map(({ preference, query, from }) => ({
    header: JSON.stringify({ ...wholeMultiSearch.header, preference }),
    body: JSON.stringify({
      ...wholeMultiSearch.body,
      size: 0,
      track_total_hits: true,
      ...countBody(query, from),
    }),
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
