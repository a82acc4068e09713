import { createParser } from '@aosc/contract';
import { type Call } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { requestJson } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { expectAllShards } from '../codec/search-answer';
import { indexPath } from '../index-path';
import { ShardsSchema } from './shapes';

const parse = createParser(
  'answer of _count',
  Type.Object({ count: Type.Integer({ minimum: 0 }), _shards: ShardsSchema }),
);

/**
 * `POST {index}/_count?preference=_primary`: root documents. An unassigned primary is left out silently
 * (200, `failed: 0`, `successful` below `total`), so every shard is counted here.
 */
export async function count(
  client: OpenSearchClient,
  index: string,
  query: Readonly<Record<string, unknown>> | undefined,
  call: Call,
): Promise<number> {
  const answer = await requestJson(
    client,
    {
      method: 'POST',
      path: `/${indexPath(index)}/_count`,
      query: { preference: '_primary' },
      body: JSON.stringify(query === undefined ? {} : { query }),
    },
    parse,
    call,
  );
  expectAllShards(answer._shards);
  return answer.count;
}
