import { maxBuckets } from '@aosc/domain';
import type { ApiDependencies } from '../dependencies';
import { preconditionFailed } from './check-indices';
import type { StartContext } from './start-context';

/** While the copy runs, a shard may come to this many times its sequence numbers. */
const growth = 2;

/**
 * The copy counts documents by their sequence numbers, as finely as `search.max_buckets` allows by default, and never
 * more finely than there are numbers.
 * @throws AoscError precondition_failed
 */
export async function checkBuckets(
  { cluster, readBucketLimit }: Pick<ApiDependencies, 'cluster' | 'readBucketLimit'>,
  { source, call }: Pick<StartContext, 'source' | 'call'>,
): Promise<void> {
  const limit = await readBucketLimit(call);
  if (limit >= maxBuckets) return;
  const checkpoints = await cluster.index(source.index).state.readCheckpoints(call);
  const numbers = Math.max(0, ...checkpoints.map(({ maxSeqNo }) => maxSeqNo + 1));
  if (limit >= numbers * growth) return;
  throw preconditionFailed(
    `the cluster setting [search.max_buckets] is [${limit}], and the copy counts the ${numbers} operations of a source ` +
      `shard; set it to at least [${Math.min(maxBuckets, numbers * growth)}]`,
  );
}
