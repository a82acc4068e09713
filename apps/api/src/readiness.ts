import type { Call, ClusterPort } from '@aosc/engine';
import { checkAll } from '@aosc/runtime';
import type { Readiness } from '@aosc/telemetry';
import type { QueueClient } from './dependencies';

/** Both servers must answer and belong together: otherwise nothing can be started. */
export function checkReadiness(
  cluster: Pick<ClusterPort, 'uuid'>,
  queueClient: QueueClient,
  newCall: () => Call,
): Promise<Readiness> {
  return checkAll({
    opensearch: () => cluster.uuid(newCall()).then(() => undefined),
    redis: () => queueClient.ping().then(() => undefined),
    installation: () => queueClient.findInstallationMismatch(),
  });
}
