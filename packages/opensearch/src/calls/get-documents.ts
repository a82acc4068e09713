import { type Call, ClusterError } from '@aosc/engine';
import { request, type OpenSearchClient } from '../client/request';
import { type FetchedDocument, readGetAnswer } from '../codec/get-answer';
import { indexPath } from '../index-path';
import { fromNode, onlyNode } from './only-node';

export interface GetOptions {
  /** false: heads only */
  readonly source: boolean;
  /** Refreshes the copy that answers first; its searches then show what the answer shows. */
  readonly refresh?: true;
  /** the only node that may answer; left out: the primary, in the view of the coordinating node */
  readonly nodeId?: string | undefined;
}

/**
 * `POST {index}/_mget`, realtime: sees every acknowledged write, refreshed or not. Without the source, `_routing` only
 * comes if the request names it as a stored field.
 * @returns one answer per key, in their order
 * @throws ClusterError of the first document that has an error ('not_found' when the index is missing)
 */
export async function getDocuments(
  client: OpenSearchClient,
  index: string,
  keys: readonly { readonly id: string; readonly routing?: string | undefined }[],
  options: GetOptions,
  call: Call,
): Promise<readonly FetchedDocument[]> {
  if (keys.length === 0) return [];
  const { nodeId } = options;
  const what = {
    method: 'POST',
    path: `/${indexPath(index)}/_mget`,
    query: {
      realtime: options.refresh !== true,
      ...(options.refresh === true && { refresh: true }),
      preference: nodeId === undefined ? '_primary' : onlyNode(nodeId),
      _source: options.source,
      ...(options.source ? {} : { stored_fields: '_routing' }),
    },
    body: JSON.stringify({ docs: keys.map(({ id, routing }) => ({ _id: id, routing })) }),
  } as const;
  const ask = async () => readGetAnswer(await request(client, what, call));
  const documents = await (nodeId === undefined ? ask() : fromNode(client, ask));
  if (documents.length !== keys.length || documents.some(({ id }, at) => id !== keys[at]?.id)) {
    throw new ClusterError(
      'transient',
      `${what.method} ${what.path}: the answer is not about the keys asked for`,
    );
  }
  return documents;
}
