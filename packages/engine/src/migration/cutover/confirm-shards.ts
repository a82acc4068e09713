import type { ShardRecord } from '@aosc/contract';
import { unlessConflict } from '../../ports/compare-and-set';
import type { Stored } from '../../ports/store-port';
import type { StepContext } from '../step/context';

/**
 * Makes sure that records of shards which were read have been acknowledged. A primary that is cut off from its replicas also
 * shows what it is going to lose: a last round that is over by such a record has its job done again by the next worker, and
 * after the swap that would be written over what applications have written since. So each record is written once more as it is.
 * @returns whether all of them are; if not, others have written one of them since, and they are to be read again
 * @throws ClusterError when there is no answer
 */
export async function confirmShards(
  { store, signal }: Pick<StepContext, 'store' | 'signal'>,
  shards: readonly Stored<ShardRecord>[],
): Promise<boolean> {
  const writes = shards.map((stored) =>
    unlessConflict(() => store.replaceShard(stored, stored.record, { signal })),
  );
  return (await Promise.all(writes)).every((written) => written !== undefined);
}
