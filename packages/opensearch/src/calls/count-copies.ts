import { type Call, ClusterError, type ShardCopy } from '@aosc/engine';
import type { OpenSearchClient } from '../client/types';
import { indexPath } from '../index-path';
import { countWhere, readCount } from './count';
import { multiSearch } from './multi-search';
import { fromNode, onlyNode } from './only-node';
import { isPipelineRefused, wholeMultiSearch } from './whole-search';

/** Searches of one request: OpenSearch runs them side by side, and each is on one shard. */
const perRequest = 200;

/**
 * `POST {index}/_msearch` with a search of size 0 on each copy: root documents. Every search names its node.
 * @returns in the order of the copies
 * @throws ClusterError of the first that failed or is not whole
 */
export async function countCopies(
  client: OpenSearchClient,
  index: string,
  copies: readonly ShardCopy[],
  query: Readonly<Record<string, unknown>> | undefined,
  call: Call,
): Promise<readonly number[]> {
  const counts: number[] = [];
  for (let start = 0; start < copies.length; start += perRequest) {
    counts.push(...(await countSome(client, index, copies.slice(start, start + perRequest), query, call)));
  }
  return counts;
}

async function countSome(...asked: Parameters<typeof countTogether>): Promise<readonly number[]> {
  try {
    return await countTogether(...asked);
  } catch (error) {
    if (!isPipelineRefused(error)) throw error;
    const [client, index, copies, query, call] = asked;
    return Promise.all(
      copies.map((copy) => {
        const preference = preferenceOf(copy);
        return fromNode(() => countWhere(client, index, { preference, query, shards: 1 }, call));
      }),
    );
  }
}

async function countTogether(
  client: OpenSearchClient,
  index: string,
  copies: readonly ShardCopy[],
  query: Readonly<Record<string, unknown>> | undefined,
  call: Call,
): Promise<readonly number[]> {
  const body = JSON.stringify({
    ...wholeMultiSearch.body,
    size: 0,
    track_total_hits: true,
    ...(query === undefined ? {} : { query }),
  });
  const searches = copies.map((copy) => ({
    header: JSON.stringify({ ...wholeMultiSearch.header, preference: preferenceOf(copy) }),
    body,
  }));
  // In a header the name is refused where `rest.action.multi.allow_explicit_index` is false.
  const path = `/${indexPath(index)}/_msearch`;
  const answers = await multiSearch(client, path, searches, call);
  return Promise.all(
    answers.map((answer) =>
      fromNode(() =>
        answer instanceof ClusterError
          ? Promise.reject(answer)
          : Promise.resolve(readCount(answer, index, 1)),
      ),
    ),
  );
}

function preferenceOf({ shard, nodeId }: ShardCopy): string {
  return `_shards:${shard}|${onlyNode(nodeId)}`;
}
