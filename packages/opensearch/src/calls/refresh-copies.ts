import { documentsOnShards, type IndexRoutingShape } from '@aosc/domain';
import { type Call, ClusterError } from '@aosc/engine';
import type { OpenSearchClient } from '../client/request';
import { getDocuments } from './get-documents';
import { fromNodeOrPrimary } from './only-node';
import { readRefreshes } from './shard-stats';

/**
 * A get with `refresh` and without `realtime`, of a document that need not exist: the copy that answers refreshes
 * before it looks (`TransportShardMultiGetAction`). `_refresh` goes to the primaries of all shards in the view of the
 * coordinating node, and does not say which copies they were.
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
  const refresh = async (named: { readonly nodeId?: string }): Promise<void> => {
    await getDocuments(client, index, keys, { source: false, refresh: true, ...named }, call);
  };
  await fromNodeOrPrimary(
    client,
    () => refresh({ nodeId }),
    async () => {
      // A get does not name the node that answered, but each copy counts its refreshes.
      const before = await readRefreshes(client, index, nodeId, call);
      for (let sent = 0; sent < refreshesSent; sent += 1) await refresh({});
      const after = await readRefreshes(client, index, nodeId, call);
      for (const shard of shards) {
        const done = (after.get(shard) ?? NaN) - (before.get(shard) ?? NaN);
        if (done >= refreshesSent) continue;
        throw new ClusterError(
          'transient',
          `refresh of ${index}[${shard}]: it has not reached the copy on node [${nodeId}]`,
        );
      }
    },
  );
}

/**
 * A copy does one refresh after the other. The first that it counts may have started before the call; the second
 * started after the first was done.
 */
const refreshesSent = 2;
