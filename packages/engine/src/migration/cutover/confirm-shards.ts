import type { ShardRecord } from '@aosc/contract';
import { accessShard, writeFound } from '../../ports/acknowledged-write';
import type { Stored } from '../../ports/store-port';
import type { StepContext } from '../step/context';

/**
 * Makes sure that the shards' records stay as this process read them: a primary may lose an unacknowledged write.
 * Without the end of a last round in its record, the next worker would run that round again, and after the swap write
 * over what applications have written since. A shard whose convergence is lost gets no job under the block.
 * @param isAsExpected what each record must say, however often it is read
 * @returns the records, which the cluster now has for good; undefined: a record says something else
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

/** The same for one record. */
export async function confirmShard(
  { store, signal }: Pick<StepContext, 'store' | 'signal'>,
  first: Stored<ShardRecord>,
  isAsExpected: (record: ShardRecord) => boolean,
): Promise<Stored<ShardRecord> | undefined> {
  return writeFound(accessShard(store, first.record, signal), first, ({ record }) =>
    isAsExpected(record) ? record : undefined,
  );
}
