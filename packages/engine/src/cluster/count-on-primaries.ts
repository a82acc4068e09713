import type { AdminPort } from '../ports/admin-port';
import type { Call } from '../ports/call';
import type { SourcePort } from '../ports/source-port';
import { copyOf, readFromPrimaries } from './primaries';

interface Ports {
  readonly source: Pick<SourcePort, 'readRouting' | 'readCheckpoints'>;
  readonly admin: Pick<AdminPort, 'countCopies'>;
}

/**
 * Root documents of an index, shard by shard, told by those that are its primaries: the count of a node that was away
 * is the count of what it had.
 * @param query left out: all documents
 * @returns documents by shard number, one entry for every shard
 * @throws ClusterError 'transient' when a primary is missing, or has changed meanwhile
 */
export async function countByShard(
  { source, admin }: Ports,
  index: string,
  call: Call,
  query?: Readonly<Record<string, unknown>>,
): Promise<ReadonlyMap<number, number>> {
  return readFromPrimaries(source, index, call, async (primaryOf, { shape }) => {
    const copies = Array.from({ length: shape.shardCount }, (_, shard) => copyOf(index, primaryOf(shard)));
    const counts = await admin.countCopies(index, copies, query, call);
    return new Map(counts.map((count, shard) => [shard, count]));
  });
}

/** The sum of {@link countByShard}. */
export async function countOnPrimaries(...given: Parameters<typeof countByShard>): Promise<number> {
  return [...(await countByShard(...given)).values()].reduce((sum, count) => sum + count, 0);
}
