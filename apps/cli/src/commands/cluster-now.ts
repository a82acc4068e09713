import type { MigrationStatus } from '@aosc/client';
import { describeFailure } from '../failure';
import type { Session } from '../session';
import type { ClusterNow } from '../status/render-report';

/**
 * Asks what the cluster has now of a migration's indices. A failure becomes a line of the report, which has more to
 * say.
 */
export async function readClusterNow(session: Session, status: MigrationStatus): Promise<ClusterNow> {
  const { signal } = session.shell;
  const client = await session.client();
  try {
    return await client.migrationIndices(status.migration_id, { signal });
  } catch (error) {
    const failure = signal.aborted ? undefined : describeFailure(error);
    if (failure === undefined) throw error;
    return failure.message;
  }
}
