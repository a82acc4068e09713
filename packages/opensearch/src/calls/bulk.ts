import { type BulkItem, type BulkOutcome, type Call, ClusterError } from '@aosc/engine';
import { giveLargeBuffer } from '../client/large-buffers';
import type { OpenSearchClient, SendRequest } from '../client/types';
import { readBulkAnswer } from '../codec/bulk-answer';
import { composeBulkBody } from '../codec/bulk-body';
import { aliasPath } from '../index-path';

/**
 * `POST {fence}/_bulk`. `require_alias` makes documents fail with 404 once the fence is gone (a delete without
 * a version fails with 404 as well and makes no index); `pipeline=_none` keeps the target's default pipeline
 * out, not its final one. An empty bulk is not sent: OpenSearch refuses it.
 * @throws ClusterError 'invalid' for a fence that is no alias name: nothing is sent then
 */
export async function bulk(
  client: OpenSearchClient,
  fence: string,
  items: readonly BulkItem[],
  call: Call,
): Promise<BulkOutcome> {
  if (items.length === 0) return { type: 'answered', tookMs: 0, failures: [] };
  const body = composeBulkBody(items);
  const request: SendRequest = {
    method: 'POST',
    path: `/${aliasPath(fence)}/_bulk`,
    query: { require_alias: true, pipeline: '_none' },
    contentType: 'application/x-ndjson',
    body,
  };
  try {
    const answer = await client.send(request, call);
    // Only a bulk that was read to its end is answered with 200: any other may still be on its way out.
    if (answer.status === 200) giveLargeBuffer(body);
    return readBulkAnswer(answer, items.length);
  } catch (error) {
    if (error instanceof ClusterError) return { type: 'unknown', reason: error.message };
    throw error;
  }
}
