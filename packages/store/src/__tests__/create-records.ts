import { type MigrationRecord, recordSchemaVersion, type ShardRecord } from '@aosc/contract';
import { newShardRecord } from '@aosc/domain';
import { migrationKey } from '../keys';

/** The records of a new migration between two indices that need not exist. */
export function createRecords(
  source: string,
  target: string,
  parts: Partial<MigrationRecord> = {},
): { migration: MigrationRecord; shards: readonly ShardRecord[] } {
  const startTimeMillis = parts.startTimeMillis ?? 1_700_000_000_000;
  const migrationId = `${source}__${target}__${startTimeMillis}`;
  const key = migrationKey(migrationId);
  const migration: MigrationRecord = {
    kind: 'migration',
    schemaVersion: recordSchemaVersion,
    key,
    migrationId,
    sourceIndex: source,
    targetIndex: target,
    alias: 'books',
    phase: 'ACTIVE',
    shardRoutingMode: 'SPLIT_SHARD',
    sourceShardCount: 2,
    targetShardCount: 4,
    startTimeMillis,
    lastUpdatedMillis: startTimeMillis,
    options: {
      convergenceThresholdPerShard: 500,
      maxConvergenceRoundsPerShard: 1000,
      docCountTolerance: 0,
      validationQuery: { term: { some_field: 'kept as it is' } },
      acceptDataLossIfCustomRoutingIsUsed: false,
      targetReadyTimeoutSeconds: 14_400,
      removeSourceWriteBlockOnSuccess: false,
      transientTargetSettings: { 'index.number_of_replicas': '0' },
    },
    transitionHistory: [{ phase: 'ACTIVE', startTimeMillis }],
    clusterUuid: 'cluster',
    sourceUuid: 'source',
    targetUuid: 'target',
    sourceRouting: { routingShardCount: 1024, partitionSize: 1 },
    targetPrepared: false,
    targetRestored: false,
    commitRequested: false,
    tokenTaken: false,
    committed: false,
    ...parts,
  };
  const shards = [0, 1].map((shard) => newShardRecord(key, shard, startTimeMillis));
  return { migration, shards };
}
