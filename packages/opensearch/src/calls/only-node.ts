import { ClusterError, isClusterError } from '@aosc/engine';

/** The preference that has one node answer, and no other. */
export function onlyNode(nodeId: string): string {
  if (!/^[\w-]+$/.test(nodeId)) throw new ClusterError('invalid', 'the id of a node has other characters');
  return `_only_nodes:${nodeId}`;
}

/**
 * The node that was asked does not know of a copy there: it was away, or the shard has moved. OpenSearch calls the
 * request wrong then ("no data nodes with criteria [...] found for shard"), and it is right again when it has caught up.
 */
export async function fromNode<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!isClusterError(error, 'invalid') || !error.message.includes('no data nodes with criteria'))
      throw error;
    throw new ClusterError('transient', error.message, error.details, { cause: error });
  }
}
