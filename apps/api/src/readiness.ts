import type { Call, ClusterPort } from '@aosc/engine';
import { checkAll, findRecordsBlock } from '@aosc/runtime';
import type { Readiness } from '@aosc/telemetry';
import type { MigrationStore } from '@aosc/store';
import type { QueueClient } from './queue-client';

/**
 * Both servers must answer and belong together, and the records must be readable and writable: otherwise no migration can
 * start. The very first check creates the index of the records, as a start would.
 */
export function checkReadiness(
  cluster: Pick<ClusterPort, 'uuid'>,
  store: Pick<MigrationStore, 'ensureIndex' | 'readSettings'>,
  findWriteBlocks: Parameters<typeof findRecordsBlock>[0],
  queueClient: QueueClient,
  newCall: () => Call,
): Promise<Readiness> {
  return checkAll({
    opensearch: () => cluster.uuid(newCall()).then(() => undefined),
    records: async () => {
      const call = newCall();
      await store.ensureIndex(call);
      // A new index takes a moment until its shard answers.
      await store.readSettings(call);
      return findRecordsBlock(findWriteBlocks, call);
    },
    redis: () => queueClient.ping().then(() => undefined),
    installation: () => queueClient.findInstallationMismatch(),
  });
}
