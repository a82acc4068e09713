import { type MigrationPhase, type MigrationRecord, recordSchemaVersion } from '@aosc/contract';
import { IllegalTransitionError, mayMove, type MigrationIn, moveMigration } from '@aosc/domain';

/** A migration record for tests without servers, as of right after its start, but for the parts a test is about. */
export function exampleMigration(parts: Partial<MigrationRecord> = {}): MigrationRecord {
  const phase = parts.phase ?? 'ACTIVE';
  return {
    kind: 'migration',
    schemaVersion: recordSchemaVersion,
    key: '0123456789abcdef0123',
    migrationId: 'books__books2__1000',
    sourceIndex: 'books',
    targetIndex: 'books2',
    alias: 'library',
    phase,
    shardRoutingMode: 'SAME_SHARD',
    sourceShardCount: 1,
    targetShardCount: 1,
    startTimeMillis: 1000,
    lastUpdatedMillis: 1000,
    options: {
      convergenceThresholdPerShard: 500,
      maxConvergenceRoundsPerShard: 1000,
      docCountTolerance: 0,
      acceptDataLossIfCustomRoutingIsUsed: false,
      targetReadyTimeoutSeconds: 14_400,
      removeSourceWriteBlockOnSuccess: false,
      transientTargetSettings: {},
    },
    transitionHistory: [{ phase, startTimeMillis: 1000 }],
    waits: [],
    clusterUuid: 'c',
    sourceUuid: 'uuid of books',
    targetUuid: 'uuid of books2',
    sourceRouting: { routingShardCount: 1024, partitionSize: 1 },
    targetPrepared: false,
    targetRestored: false,
    commitRequested: false,
    tokenTaken: false,
    committed: false,
    ...parts,
  };
}

/**
 * Moves a record whose phase the types do not know, in particular a record that a test has read.
 * @throws IllegalTransitionError when the table has no such transition
 */
export function moveRead<P extends MigrationPhase>(
  record: MigrationRecord,
  phase: P,
  nowMillis: number,
): MigrationIn<P> {
  if (!mayMove(record, phase)) {
    throw new IllegalTransitionError(`migration ${record.migrationId}`, record.phase, phase);
  }
  return moveMigration(record, phase, nowMillis);
}
