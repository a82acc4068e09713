import type { Call } from '../ports/call';
import type { IndexPorts } from '../ports/index-ports';
import type { IndexRouting } from '../ports/index-state-port';
import { copyOf, type PrimariesOf, type PrimaryRead, readFromPrimaries } from './primaries';

/**
 * Counts the root documents of an index by shard, on its primaries: a node that was away counts what it had. Each
 * primary is refreshed first, so every document that was acknowledged before the call counts. `_refresh` would go to
 * all copies, through the one thread that a small node has for it.
 * @param query left out: all documents
 * @param known the routing, when the caller has just read it
 * @returns documents by shard number, one entry for every shard
 * @throws ClusterError 'transient' when a primary is missing, or has changed meanwhile
 */
export async function countFresh(
  index: PrimariesOf<'countCopies'> & Pick<IndexPorts, 'snapshots'>,
  call: Call,
  query?: Readonly<Record<string, unknown>>,
  known?: IndexRouting,
): Promise<ReadonlyMap<number, number>> {
  const count: PrimaryRead<ReadonlyMap<number, number>> = async (primaryOf, { shape }) => {
    const copies = Array.from({ length: shape.shardCount }, (_, shard) => copyOf(primaryOf(shard)));
    await Promise.all(copies.map((copy) => index.snapshots.refreshCopy(copy, shape, call)));
    const counts = await index.state.countCopies(copies, query, call);
    return new Map(counts.map((documents, shard) => [shard, documents]));
  };
  return readFromPrimaries(index, call, count, known);
}

export function sumOf(counts: ReadonlyMap<number, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
