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
  byFiles?: { readonly shards: number },
): Promise<string> {
  const call = { signal: timeLimit(30_000) };
  const [from, to] = await Promise.all([
    cluster.index(names.source).state.describe(call),
    cluster.index(names.target).state.describe(call),
  ]);
  if (from === undefined) throw new Error('the source must exist');
  if ((to === undefined) !== (byFiles !== undefined))
    throw new Error('the target must exist, or be made of files');
  const targetShardCount = byFiles?.shards ?? to?.shardCount ?? 0;
  const resolved = { ...defaultOptions, ...options };
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
    shardRoutingMode: selectRoutingMode(from.shardCount, targetShardCount),
    sourceShardCount: from.shardCount,
    targetShardCount,
    startTimeMillis,
    lastUpdatedMillis: startTimeMillis,
    options: resolved,
    ...(transform && { transform }),
    transitionHistory: [{ phase: 'ACTIVE', startTimeMillis }],
    waits: [],
    clusterUuid: (await cluster.index(names.source).state.readRouting(call)).clusterUuid,
    sourceUuid: from.uuid,
    targetUuid: to?.uuid ?? '',
    ...(byFiles && { files: filesOf(from.settings, resolved) }),
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

/** As a start has it that changes nothing but the number of shards. */
function filesOf(
  settings: Readonly<Record<string, string>>,
  { transientTargetSettings }: ResolvedOptions,
): NonNullable<MigrationRecord['files']> {
  const transient = Object.entries(transientTargetSettings);
  return {
    settings: {
      'index.blocks.write': null,
      'index.number_of_replicas': settings['index.number_of_replicas'] ?? null,
      'index.replication.type': settings['index.replication.type'] ?? null,
      ...(settings['index.translog.durability'] === 'async' && { 'index.translog.durability': null }),
      ...Object.fromEntries(transient.map(([name, value]) => [name, String(value)])),
    },
    originals: Object.fromEntries(transient.map(([name]) => [name, settings[name] ?? null])),
  };
}
