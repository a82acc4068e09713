import { copyOf, readFromPrimaries } from '../shard/primaries';
import type { CoordinatorContext } from './context';

/**
 * Root documents of an index, shard by shard, told by those that are its primaries: the count of a node that was away
 * is the count of what it had.
 * @param query left out: all documents
 * @returns in the order of the shards
 * @throws ClusterError 'transient' when a primary is missing, or has changed meanwhile
 */
export async function countByShard(
  { source, admin, signal }: Pick<CoordinatorContext, 'source' | 'admin' | 'signal'>,
  index: string,
  shardCount: number,
  query?: Readonly<Record<string, unknown>>,
): Promise<readonly number[]> {
  const call = { signal };
  return readFromPrimaries(source, index, call, (primaryOf) => {
    const copies = Array.from({ length: shardCount }, (_, shard) => copyOf(index, primaryOf(shard)));
    return admin.countCopies(copies, query, call);
  });
}

/** The sum of {@link countByShard}. */
export async function countOnPrimaries(...given: Parameters<typeof countByShard>): Promise<number> {
  return (await countByShard(...given)).reduce((sum, count) => sum + count, 0);
}
