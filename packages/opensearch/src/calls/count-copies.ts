import { createParser } from '@aosc/contract';
import { type Call, ClusterError, type ShardCopy } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { classifyInnerError } from '../client/classify';
import { requestJson } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { indexPath } from '../index-path';
import { countWhere } from './count';
import { fromNode, onlyNode } from './only-node';
import { isPipelineRefused, wholeSearchBody } from './whole-search';

const parse = createParser(
  'answer of _msearch',
  Type.Object({
    responses: Type.Array(
      Type.Object({
        status: Type.Integer(),
        error: Type.Optional(Type.Unknown()),
        timed_out: Type.Optional(Type.Boolean()),
        _shards: Type.Optional(Type.Object({ total: Type.Integer(), successful: Type.Integer() })),
        hits: Type.Optional(
          Type.Object({
            total: Type.Object({ value: Type.Integer({ minimum: 0 }), relation: Type.Literal('eq') }),
          }),
        ),
      }),
    ),
  }),
);

/** Searches of one request: OpenSearch runs them side by side, and each is on one shard. */
const perRequest = 200;

/**
 * `POST {index}/_msearch` with a search of size 0 on each copy: root documents. Every search names its node, and `search_pipeline`
 * is in its body, because a header of `_msearch` can't have it (see {@link wholeSearchBody} for the rest).
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
      copies.map(({ shard, nodeId }) => {
        const preference = `_shards:${shard}|${onlyNode(nodeId)}`;
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
    ...wholeSearchBody,
    search_pipeline: '_none',
    size: 0,
    track_total_hits: true,
    ...(query === undefined ? {} : { query }),
  });
  const lines = copies.map(({ shard, nodeId }) => {
    const preference = `_shards:${shard}|${onlyNode(nodeId)}`;
    return `${JSON.stringify({ preference, allow_partial_search_results: false, cancel_after_time_interval: '-1' })}\n${body}\n`;
  });
  const what = {
    method: 'POST',
    // In a header the name is refused where `rest.action.multi.allow_explicit_index` is false.
    path: `/${indexPath(index)}/_msearch`,
    contentType: 'application/x-ndjson',
    body: lines.join(''),
  } as const;
  const { responses } = await requestJson(client, what, parse, call);
  return Promise.all(
    copies.map((copy, at) =>
      fromNode(async () => {
        const { status = 500, error, timed_out: timedOut, _shards: shards, hits } = responses[at] ?? {};
        if (error !== undefined) {
          throw classifyInnerError('POST /_msearch', error, status);
        }
        if (timedOut !== false || shards?.total !== 1 || shards.successful !== 1 || hits === undefined) {
          throw new ClusterError('transient', `POST /_msearch: no whole count of ${index}[${copy.shard}]`);
        }
        return Promise.resolve(hits.total.value);
      }),
    ),
  );
}
