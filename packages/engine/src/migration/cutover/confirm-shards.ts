import type { ShardRecord } from '@aosc/contract';
import { accessShard, writeFound } from '../../ports/acknowledged-write';
import type { Stored } from '../../ports/store-port';
import type { StepContext } from '../step/context';

/**
 * Makes sure that records of shards which were read have been acknowledged. If the end of a last round is in a record
 * that is lost, the next worker does that job again, and after the swap it would write over what applications have
 * written since. A shard that has converged by such a record gets no job under the write block.
 * @param isAsExpected what each record must say, however often it is read
 * @returns the records as they are there to stay, for whatever is decided from them; undefined: one of them says
 *   something else
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
