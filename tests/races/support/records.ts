import { type MigrationRecord, recordSchemaVersion, type ResolvedOptions } from '@aosc/contract';
import { newShardRecord, selectRoutingMode } from '@aosc/domain';
import { timeLimit } from '@aosc/signals';
import { migrationKey } from '@aosc/store';
import type { Ports } from './faults';

const defaultOptions: ResolvedOptions = {
  convergenceThresholdPerShard: 500,
  maxConvergenceRoundsPerShard: 1000,
  docCountTolerance: 0,
  acceptDataLossIfCustomRoutingIsUsed: true,
  createAlias: false,
  targetReadyTimeoutSeconds: 60,
  removeSourceWriteBlockOnSuccess: false,
  transientTargetSettings: { 'index.refresh_interval': '-1' },
};

/** Writes the records of a new migration, as an accepted start does. @returns the migration's key */
export async function createRecords(
  { cluster, store }: Ports,
  names: { readonly source: string; readonly target: string; readonly alias: string },
  options: Partial<ResolvedOptions> = {},
  transform?: MigrationRecord['transform'],
): Promise<string> {
  const call = { signal: timeLimit(30_000) };
  const [from, to] = await Promise.all([
    cluster.index(names.source).state.describe(call),
    cluster.index(names.target).state.describe(call),
  ]);
  if (from === undefined || to === undefined) throw new Error('source and target must exist');
  const startTimeMillis = Date.now();
  const migrationId = `${names.source}__${names.target}__${startTimeMillis}`;
  const key = migrationKey(migrationId);
  const migration: MigrationRecord = {
    kind: 'migration',
    schemaVersion: recordSchemaVersion,
    key,
    migrationId,
    sourceIndex: names.source,
    targetIndex: names.target,
    alias: names.alias,
    phase: 'ACTIVE',
    shardRoutingMode: selectRoutingMode(from.shardCount, to.shardCount),
    sourceShardCount: from.shardCount,
    targetShardCount: to.shardCount,
    startTimeMillis,
    lastUpdatedMillis: startTimeMillis,
    options: { ...defaultOptions, ...options },
    ...(transform && { transform }),
    transitionHistory: [{ phase: 'ACTIVE', startTimeMillis }],
    waits: [],
    clusterUuid: (await cluster.index(names.source).state.readRouting(call)).clusterUuid,
    sourceUuid: from.uuid,
    targetUuid: to.uuid,
    sourceRouting: {
      routingShardCount: from.routingShardCount,
      partitionSize: from.routingPartitionSize,
    },
    targetPrepared: false,
    targetRestored: false,
    commitRequested: false,
    tokenTaken: false,
    committed: false,
  };
  const shards = Array.from({ length: from.shardCount }, (_, shard) =>
    newShardRecord(key, shard, startTimeMillis),
  );
  const outcome = await store.createMigration(migration, shards, call);
  if (outcome.type !== 'created') throw new Error(`the migration was not created: ${outcome.type}`);
  return key;
}
