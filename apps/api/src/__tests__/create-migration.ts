import { type MigrationRecord, recordSchemaVersion } from '@aosc/contract';

/** A migration record with the parts a test is about. */
export function createMigration(parts: Partial<MigrationRecord> = {}): MigrationRecord {
  return {
    kind: 'migration',
    schemaVersion: recordSchemaVersion,
    key: '0123456789abcdef0123',
    migrationId: 'books__books2__1000',
    sourceIndex: 'books',
    targetIndex: 'books2',
    alias: 'library',
    phase: 'ACTIVE',
    shardRoutingMode: 'SPLIT_SHARD',
    sourceShardCount: 2,
    targetShardCount: 4,
    startTimeMillis: 1000,
    lastUpdatedMillis: 6500,
    options: {
      convergenceThresholdPerShard: 500,
      maxConvergenceRoundsPerShard: 1000,
      docCountTolerance: 0,
      acceptDataLossIfCustomRoutingIsUsed: false,
      targetReadyTimeoutSeconds: 14_400,
      removeSourceWriteBlockOnSuccess: false,
      transientTargetSettings: { 'index.number_of_replicas': '0' },
    },
    transitionHistory: [{ phase: 'ACTIVE', startTimeMillis: 1000 }],
    clusterUuid: 'c',
    sourceUuid: 's',
    targetUuid: 't',
    sourceRouting: { routingShardCount: 1024, partitionSize: 1 },
    targetPrepared: false,
    targetRestored: false,
    commitRequested: false,
    tokenTaken: false,
    committed: false,
    ...parts,
  };
}
