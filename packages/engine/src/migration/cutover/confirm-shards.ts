import type { ShardRecord } from '@aosc/contract';
import { accessShard, writeFound } from '../../ports/acknowledged-write';
import type { Stored } from '../../ports/store-port';
import type { StepContext } from '../step/context';

/**
 * Writes the shards' records once more, unchanged, so that OpenSearch acknowledges them: a primary may show a record
 * that it is going to lose.
 * - If the end of a last round were lost, the next worker would run that round again. After the swap that round would
 *   overwrite what applications have written.
 * - If a shard's convergence were lost, the shard would get no job under the block, and the cutover could not go on.
 * @returns the records, which can't be lost any more; undefined: a record is not as expected any more, is gone, or was
 *   in conflict too often
 * @param isAsExpected what each record must say to be confirmed
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

/** `confirmShards` for one record. */
export async function confirmShard(
  { store, signal }: Pick<StepContext, 'store' | 'signal'>,
  first: Stored<ShardRecord>,
  isAsExpected: (record: ShardRecord) => boolean,
): Promise<Stored<ShardRecord> | undefined> {
  return writeFound(accessShard(store, first.record, signal), first, ({ record }) =>
    isAsExpected(record) ? record : undefined,
  );
}
