import { ClusterError, isClusterError, isNodeRefused } from '@aosc/engine';
import type { OpenSearchClient } from '../client/request';

/** The preference with which only this node may answer. */
export function onlyNode(nodeId: string): string {
  if (!/^[\w-]+$/.test(nodeId)) throw new ClusterError('invalid', 'the id of a node has other characters');
  return `_only_nodes:${nodeId}`;
}

/** After a refusal this sends no such request for this long, because it would only be refused again. */
const refusedForMs = 60_000;
const refusals = new WeakMap<OpenSearchClient, { readonly error: unknown; readonly untilMs: number }>();

/**
 * Asks with a node's name in the preference. The coordinating node may not know of a copy there: it was away, or the
 * shard has moved. OpenSearch then calls the request wrong ("no data nodes with criteria [...] found for shard"), but
 * accepts it when the coordinating node has caught up.
 * @throws ClusterError that `isNodeRefused` knows, where zones have weights
 */
export async function fromNode<T>(client: OpenSearchClient, ask: () => Promise<T>): Promise<T> {
  const refused = refusals.get(client);
  if (refused !== undefined && performance.now() < refused.untilMs) throw refused.error;
  try {
    return await ask();
  } catch (error) {
    if (isNodeRefused(error)) refusals.set(client, { error, untilMs: performance.now() + refusedForMs });
    if (!isClusterError(error, 'invalid') || !error.message.includes('no data nodes with criteria'))
      throw error;
    throw new ClusterError('transient', error.message, error.details, { cause: error });
  }
}

/**
 * {@link fromNode}, with another way where zones have weights.
 * @param fromPrimary asks whichever copy is the primary, and makes sure that it was on that node
 */
export async function fromNodeOrPrimary<T>(
  client: OpenSearchClient,
  ask: () => Promise<T>,
  fromPrimary: () => Promise<T>,
): Promise<T> {
  try {
    return await fromNode(client, ask);
  } catch (error) {
    if (!isNodeRefused(error)) throw error;
    return fromPrimary();
  }
}
