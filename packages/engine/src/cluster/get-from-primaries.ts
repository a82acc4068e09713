import { shardOf, type TargetDocument } from '@aosc/domain';
import type { Call } from '../ports/call';
import type { DocumentKey } from '../ports/documents';
import { elementAt } from './element-at';
import { type PrimariesOf, readFromPrimaries } from './primaries';

/**
 * A realtime look at documents, told by the primaries of their shards and by nobody who was one once: "not there" of a
 * node that was away would leave a document where it has to go.
 * @returns in the order of the keys
 * @throws ClusterError 'transient' when a primary has changed meanwhile: ask again
 */
export async function getFromPrimaries(
  index: PrimariesOf<'getDocuments'>,
  keys: readonly DocumentKey[],
  call: Call,
): Promise<readonly TargetDocument[]> {
  if (keys.length === 0) return [];
  return readFromPrimaries(index, call, async (primaryOf, { shape }) => {
    const byNode = new Map<string, number[]>();
    keys.forEach((key, at) => {
      const { nodeId } = primaryOf(shardOf(key, shape));
      const positions = byNode.get(nodeId);
      if (positions === undefined) byNode.set(nodeId, [at]);
      else positions.push(at);
    });
    const found = new Map<number, TargetDocument>();
    await Promise.all(
      [...byNode].map(async ([nodeId, positions]) => {
        const wanted = positions.map((at) => elementAt(keys, at));
        const answers = await index.state.getDocuments(wanted, call, nodeId);
        positions.forEach((at, n) => found.set(at, elementAt(answers, n)));
      }),
    );
    return keys.map((_key, at) => {
      const document = found.get(at);
      if (document === undefined) throw new Error(`no answer for key ${at} of ${keys.length}`);
      return document;
    });
  });
}
