import { isClusterError } from '../../ports/cluster-error';
import type { ClusterPort } from '../../ports/cluster-port';
import type { ShardContext } from '../context';

/**
 * Asks the cluster to try failed allocations again, after a snapshot was closed because its primary has changed. While
 * the snapshot held the shard's lock, a copy that was to come back may have used up its five tries, and only this call
 * starts it again. A failure here is no reason to stop the work.
 */
export async function retryAllocations(
  cluster: Pick<ClusterPort, 'retryFailedAllocations'>,
  { log, shard }: Pick<ShardContext, 'log'> & { readonly shard?: number },
  signal: AbortSignal,
): Promise<void> {
  try {
    if (await cluster.retryFailedAllocations({ signal })) return;
    log.warn('reroute_forbidden', 'ask an administrator for POST _cluster/reroute?retry_failed=true', {
      shard,
    });
  } catch (error) {
    if (!isClusterError(error)) throw error;
    log.warn('reroute_failed', 'a copy that has used up its tries waits for _cluster/reroute?retry_failed', {
      shard,
      reason: error.message,
    });
  }
}
