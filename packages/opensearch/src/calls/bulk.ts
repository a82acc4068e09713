import { type WritePort, type BulkItem, type BulkOutcome, ClusterError } from '@aosc/engine';
import type { Asks } from '../bind-calls';
import { giveLargeBuffer } from '../client/large-buffers';
import type { SendRequest } from '../client/request';
import { readBulkAnswer } from '../codec/bulk-answer';
import { composeBulkBody } from '../codec/bulk-body';
import { aliasPath } from '../index-path';

/**
 * `POST {fence}/_bulk`. `require_alias` makes documents fail with 404 once the fence is gone (a delete without a
 * version also fails with 404, and creates no index). `pipeline=_none` keeps out the target's default pipeline, but not
 * its final one. This sends no empty bulk, because OpenSearch refuses it.
 *
 * With a pipeline the failed items of an answer can be in another order than in the request (3.7.0, documents that fail
 * in the pipeline beside others), so each is compared by its id.
 * @throws ClusterError 'invalid' for a fence that is no alias name: nothing is sent then
 */
export const bulk: Asks<WritePort['bulk']> = async (client, fence, items, { transform, ...call }) => {
  if (items.length === 0) return { type: 'answered', tookMs: 0, failures: [], replaced: () => [] };
  const body = composeBulkBody(items, transform);
  const request: SendRequest = {
    method: 'POST',
    path: `/${aliasPath(fence)}/_bulk`,
    query: { require_alias: true, pipeline: transform?.pipeline ?? '_none' },
    contentType: 'application/x-ndjson',
    body,
  };
  try {
    const answer = await client.send(request, call);
    // OpenSearch answers 200 only when it has read the bulk to its end; with any other status the bytes may still be on
    // their way out.
    if (answer.status === 200) giveLargeBuffer(body);
    const outcome = readBulkAnswer(answer, items.length);
    return transform !== undefined && isMisplaced(outcome, items)
      ? { type: 'unknown', reason: "the answer's items are not in the order of the request" }
      : outcome;
  } catch (error) {
    if (error instanceof ClusterError) {
      const { message, details } = error;
      return { type: 'unknown', reason: message, ...(details.awaits === 'cluster' && { isOutage: true }) };
    }
    throw error;
  }
};

/** Refused documents end the copy at whatever place: the id in the answer names them. */
function isMisplaced(outcome: BulkOutcome, items: readonly BulkItem[]): boolean {
  if (outcome.type !== 'answered' || outcome.failures.some(({ kind }) => kind === 'fatal')) return false;
  return outcome.failures.some(({ index, id }) => {
    const item = items[index];
    if (item === undefined) return true;
    return id !== (item.kind === 'delete' ? item.key.id : JSON.parse(item.document.idToken));
  });
}
