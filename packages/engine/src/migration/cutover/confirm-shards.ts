import type { ShardRecord } from '@aosc/contract';
import { type Attempt, compareAndSet, unlessConflict } from '../../ports/compare-and-set';
import type { Stored } from '../../ports/store-port';
import type { StepContext } from '../step/context';

/** Of each record, against a worker that writes it at the same moment. */
const maxTries = 5;

/**
 * Makes sure that records of shards which were read have been acknowledged. A primary that is cut off from its replicas also
 * shows what it is going to lose: a last round that is over by such a record has its job done again by the next worker, and
 * after the swap that would be written over what applications have written since; and a shard that has converged by such a
 * record gets no job under the write block. So each record is written once more as it is. One that has changed since is read
 * again.
 * @param isAsExpected what each record must say, however often it is read
 * @returns the records as they are there to stay, for whatever is decided from them; undefined: one of them says something else
 * @throws ClusterError when there is no answer
 */
export async function confirmShards(
  context: Pick<StepContext, 'store' | 'signal'>,
  shards: readonly Stored<ShardRecord>[],
  isAsExpected: (record: ShardRecord) => boolean,
): Promise<readonly Stored<ShardRecord>[] | undefined> {
  const confirmed = await Promise.all(shards.map((shard) => confirmShard(context, shard, isAsExpected)));
  const known = confirmed.filter((stored) => stored !== undefined);
  return known.length === shards.length ? known : undefined;
}

/** The same for one of them. */
export async function confirmShard(
  { store, signal }: Pick<StepContext, 'store' | 'signal'>,
  first: Stored<ShardRecord>,
  isAsExpected: (record: ShardRecord) => boolean,
): Promise<Stored<ShardRecord> | undefined> {
  const { key, shard } = first.record;
  const attempt = async (attempts: number): Promise<Attempt<Stored<ShardRecord> | undefined>> => {
    const stored = attempts === 1 ? first : await store.readShard(key, shard, { signal });
    if (stored === undefined || !isAsExpected(stored.record)) return { result: undefined };
    return { write: () => store.replaceShard(stored, stored.record, { signal }) };
  };
  return unlessConflict(() => compareAndSet(attempt, maxTries));
}
