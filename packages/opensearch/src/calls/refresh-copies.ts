import { documentsOnShards, type IndexRoutingShape } from '@aosc/domain';
import type { Call } from '@aosc/engine';
import type { OpenSearchClient } from '../client/types';
import { getDocuments } from './get-documents';

/**
 * A get with `refresh` and without `realtime` of a document that need not exist: the copy that answers is refreshed
 * before it looks (`TransportShardMultiGetAction`). `_refresh` goes to whatever the node that is asked takes for the
 * primaries, of all shards, and does not say which copies they were.
 * @throws ClusterError of the first copy that could not be refreshed
 */
export async function refreshCopies(
  client: OpenSearchClient,
  index: string,
  { nodeId, shards }: { readonly nodeId: string; readonly shards: readonly number[] },
  shape: IndexRoutingShape,
  call: Call,
): Promise<void> {
  const keys = [...documentsOnShards(shards, shape).values()];
  await getDocuments(client, index, keys, { source: false, refresh: true, nodeId }, call);
}
