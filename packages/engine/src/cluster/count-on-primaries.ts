import type { IndexRoutingShape } from '@aosc/domain';
import type { Call } from '../ports/call';
import type { IndexPorts } from '../ports/index-ports';
import type { IndexRouting, ShardCopy } from '../ports/index-state-port';
import { copyOf, type PrimariesOf, type PrimaryRead, readFromPrimaries } from './primaries';

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
  return countAfter(index, call, query, () => Promise.resolve());
}

/** The sum of {@link countByShard}. */
export async function countOnPrimaries(...given: Parameters<typeof countByShard>): Promise<number> {
  return sumOf(await countByShard(...given));
}

/**
 * The same of everything that was acknowledged before the call: each primary is refreshed first. `_refresh` would go to
 * all copies, and through the one thread that a small node has for it.
 * @param known the routing, when the caller has just read it
 */
export async function countFresh(
  index: PrimariesOf<'countCopies'> & Pick<IndexPorts, 'snapshots'>,
  call: Call,
  query?: Readonly<Record<string, unknown>>,
  known?: IndexRouting,
): Promise<ReadonlyMap<number, number>> {
  const refresh = async (copies: readonly ShardCopy[], shape: IndexRoutingShape): Promise<void> => {
    await Promise.all(copies.map((copy) => index.snapshots.refreshCopy(copy, shape, call)));
  };
  return countAfter(index, call, query, refresh, known);
}

/** @param prepare is done to the primaries before they are counted, in the same look */
async function countAfter(
  index: PrimariesOf<'countCopies'>,
  call: Call,
  query: Readonly<Record<string, unknown>> | undefined,
  prepare: (copies: readonly ShardCopy[], shape: IndexRoutingShape) => Promise<void>,
  known?: IndexRouting,
): Promise<ReadonlyMap<number, number>> {
  const read: PrimaryRead<ReadonlyMap<number, number>> = async (primaryOf, { shape }) => {
    const copies = Array.from({ length: shape.shardCount }, (_, shard) => copyOf(primaryOf(shard)));
    await prepare(copies, shape);
    const counts = await index.state.countCopies(copies, query, call);
    return new Map(counts.map((count, shard) => [shard, count]));
  };
  return readFromPrimaries(index, call, read, known);
}

export function sumOf(counts: ReadonlyMap<number, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
