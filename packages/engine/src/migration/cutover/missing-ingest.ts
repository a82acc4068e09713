import type { MigrationRecord } from '@aosc/contract';
import type { StepContext } from '../step/context';

/**
 * Finds out whether a node can run the transform. A transform that leaves ids alone runs inside the target's bulks, on
 * nodes with the role `ingest`. Without such a node the cluster answers these bulks with 500, as after failures that
 * pass. So the answer does not show that no node can run the transform.
 */
export async function findMissingIngest(
  { target, signal }: Pick<StepContext, 'target' | 'signal'>,
  { transform }: Pick<MigrationRecord, 'transform'>,
): Promise<{ readonly text: string; readonly remedy: string } | undefined> {
  if (transform?.rewritesIdentity !== false) return undefined;
  if ((await target.cluster.ingestNodes({ signal })).length > 0) return undefined;
  return {
    text: 'no node of the cluster has the role [ingest], and the transform runs on such nodes',
    remedy: 'start one, or give a node that role',
  };
}
