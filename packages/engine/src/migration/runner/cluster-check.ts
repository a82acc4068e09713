import type { MigrationRecord } from '@aosc/contract';
import { describeOtherCluster } from '../../cluster/other-cluster';
import { ClusterError } from '../../ports/cluster-error';
import type { StepContext } from '../step/context';

/**
 * Compares the uuid of the record's cluster with the uuid that this process read at its start, which costs no call. If
 * they differ, this asks the cluster for its uuid. If that is the record's, nothing is wrong with the migration: the
 * address led to another cluster when this process started.
 * @returns why the migration can't go on here; undefined: the two uuids agree, or there is no check
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
