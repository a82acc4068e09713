import type { MigrationRecord } from '@aosc/contract';
import { describeOtherCluster } from '../../cluster/other-cluster';
import { ClusterError } from '../../ports/cluster-error';
import type { StepContext } from '../step/context';

/**
 * Compares the cluster of the record with the cluster that this process knows, which costs no call. If they differ, it
 * asks the cluster at the address for its uuid. That may be the record's after all: then the address leads to another
 * cluster than at the start of this process, and nothing is wrong with the migration.
 * @returns why the migration can't go on here
 * @throws ClusterError 'transient' when this process is in the wrong cluster
 */
export async function findOtherCluster(
  { source, clusterUuid, signal }: Pick<StepContext, 'source' | 'clusterUuid' | 'signal'>,
  record: MigrationRecord,
): Promise<string | undefined> {
  if (clusterUuid === undefined || clusterUuid === record.clusterUuid) return undefined;
  const here = await source.cluster.uuid({ signal });
  if (here !== record.clusterUuid) return describeOtherCluster(record.clusterUuid, here);
  throw new ClusterError('transient', 'the cluster at this address is another one now: restart the process');
}
