import { documentsOnShards, type IndexRoutingShape } from '@aosc/domain';
import type { Call, ShardCopy } from '@aosc/engine';
import type { OpenSearchClient } from '../client/types';
import { getDocuments } from './get-documents';

/**
 * A get with `refresh` and without `realtime` of a document that need not exist: the copy that answers is refreshed
 * before it looks (`TransportShardMultiGetAction`). `_refresh` goes to whatever the node that is asked takes for the
 * primaries, of all shards, and does not say which copies they were.
 * @param copies all on one node
 * @throws ClusterError of the first copy that could not be refreshed
 */
export async function refreshCopies(
  client: OpenSearchClient,
  index: string,
  copies: readonly ShardCopy[],
  shape: IndexRoutingShape,
  call: Call,
): Promise<void> {
  const [nodeId, ...others] = new Set(copies.map((copy) => copy.nodeId));
  if (nodeId === undefined) return;
  if (others.length > 0) throw new RangeError('copies on several nodes are not refreshed by one request');
  const keys = [
    ...documentsOnShards(
      copies.map(({ shard }) => shard),
      shape,
    ).values(),
  ];
  await getDocuments(client, index, keys, { source: false, refresh: true, nodeId }, call);
}
