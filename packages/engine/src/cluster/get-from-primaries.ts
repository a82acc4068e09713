import { shardOf, type TargetDocument } from '@aosc/domain';
import type { Call } from '../ports/call';
import { isNodeRefused } from '../ports/cluster-error';
import type { IndexPorts } from '../ports/index-ports';
import type { IndexRouting } from '../ports/index-state-port';
import type { DocumentKey } from '../ports/documents';
import { elementAt } from './element-at';
import { type PrimariesOf, type PrimaryRead, readUnconfirmed, type Unconfirmed } from './primaries';
import { searchCopies } from './search-copies';

type ReadIndex = PrimariesOf<'getDocuments'> & Pick<IndexPorts, 'snapshots'>;

/**
 * Looks documents up in real time on the primaries of their shards. The "not there" of a node that was away would leave
 * a document in the target that has to go.
 * @returns in the order of the keys
 * @throws ClusterError 'transient' when a primary has changed meanwhile: ask again
 */
export async function getFromPrimaries(
  index: ReadIndex,
  keys: readonly DocumentKey[],
  call: Call,
): Promise<readonly TargetDocument[]> {
  const { answer, confirmed } = await getUnconfirmed(index, keys, call);
  await confirmed;
  return answer;
}

/**
 * The same for a caller that can use the answer before it is confirmed.
 * @param known see {@link readFromPrimaries}
 */
export async function getUnconfirmed(
  index: ReadIndex,
  keys: readonly DocumentKey[],
  call: Call,
  known?: Promise<IndexRouting>,
): Promise<Unconfirmed<readonly TargetDocument[]>> {
  if (keys.length === 0) return { answer: [], confirmed: Promise.resolve() };
  const read: PrimaryRead<readonly TargetDocument[]> = async (primaryOf, { shape }) => {
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
        const answers = await index.state.getDocuments(wanted, call, nodeId).catch((error: unknown) => {
          if (!isNodeRefused(error)) throw error;
          return searchCopies(index, { keys: wanted, nodeId, shape }, call);
        });
        positions.forEach((at, n) => found.set(at, elementAt(answers, n)));
      }),
    );
    return keys.map((_key, at) => {
      const document = found.get(at);
      if (document === undefined) throw new Error(`no answer for key ${at} of ${keys.length}`);
      return document;
    });
  };
  return readUnconfirmed(index, call, read, known);
}
