import type { Call } from '../ports/call';
import { copyOf, type PrimariesOf, readFromPrimaries } from './primaries';

/**
 * Root documents of an index, shard by shard, told by those that are its primaries: the count of a node that was away
 * is the count of what it had.
 * @param query left out: all documents
 * @returns documents by shard number, one entry for every shard
 * @throws ClusterError 'transient' when a primary is missing, or has changed meanwhile
 */
export async function countByShard(
  index: PrimariesOf<'countCopies'>,
  call: Call,
  query?: Readonly<Record<string, unknown>>,
): Promise<ReadonlyMap<number, number>> {
  return readFromPrimaries(index, call, async (primaryOf, { shape }) => {
    const copies = Array.from({ length: shape.shardCount }, (_, shard) => copyOf(primaryOf(shard)));
    const counts = await index.state.countCopies(copies, query, call);
    return new Map(counts.map((count, shard) => [shard, count]));
  });
}

/** The sum of {@link countByShard}. */
export async function countOnPrimaries(...given: Parameters<typeof countByShard>): Promise<number> {
  return [...(await countByShard(...given)).values()].reduce((sum, count) => sum + count, 0);
}
