import { documentOnShard, type IndexRoutingShape } from '@aosc/domain';
import type { Call, ShardCopy } from '@aosc/engine';
import type { OpenSearchClient } from '../client/types';
import { getDocuments } from './get-documents';

/**
 * A get with `refresh` and without `realtime` of a document that need not exist: the copy that answers is refreshed
 * before it looks (`TransportShardMultiGetAction`). `_refresh` goes to whatever the node that is asked takes for the
 * primaries, of all shards, and does not say which copies they were.
 */
export async function refreshCopy(
  client: OpenSearchClient,
  index: string,
  { shard, nodeId }: ShardCopy,
  shape: IndexRoutingShape,
  call: Call,
): Promise<void> {
  await getDocuments(
    client,
    index,
    [documentOnShard(shard, shape)],
    { source: false, refresh: true, nodeId },
    call,
  );
}
