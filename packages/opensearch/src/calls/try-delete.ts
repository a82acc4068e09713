import { createParser } from '@aosc/contract';
import type { Call } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { classifyInnerError } from '../client/classify';
import { requestJson } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { indexPath } from '../index-path';

const parse = createParser(
  'answer of _bulk',
  Type.Object({
    items: Type.Array(
      Type.Object({ delete: Type.Object({ status: Type.Integer(), error: Type.Optional(Type.Unknown()) }) }),
    ),
  }),
);

/** No document has this number: nothing can match, so OpenSearch deletes nothing and records no operation. */
const impossibleSeqNo = Number.MAX_SAFE_INTEGER;

/**
 * A bulk with one delete that can't succeed (409), to see whether a bulk gets as far as the shards. A delete without an
 * external version creates no index.
 * @throws ClusterError 'forbidden' with the permissions that are missing
 */
export async function tryDelete(client: OpenSearchClient, index: string, call: Call): Promise<void> {
  const position = { if_seq_no: impossibleSeqNo, if_primary_term: 1 };
  const action = { delete: { _id: 'aosc-probe', routing: 'aosc-probe', ...position } };
  const what = {
    method: 'POST',
    path: `/${indexPath(index)}/_bulk`,
    query: { timeout: '5s' },
    contentType: 'application/x-ndjson',
    body: `${JSON.stringify(action)}\n`,
  } as const;
  const answer = await requestJson(client, what, parse, call);
  const refused = answer.items.find((item) => item.delete.status === 403);
  if (refused !== undefined) throw classifyInnerError(`POST ${what.path}`, refused.delete.error);
}
