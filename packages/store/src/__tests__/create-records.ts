import type { MigrationRecord, ShardRecord } from '@aosc/contract';
import { newShardRecord } from '@aosc/domain';
import { exampleMigration } from '@aosc/testkit';
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
  const example = exampleMigration({
    key,
    migrationId,
    sourceIndex: source,
    targetIndex: target,
    alias: 'books',
    shardRoutingMode: 'SPLIT_SHARD',
    sourceShardCount: 2,
    targetShardCount: 4,
    startTimeMillis,
    lastUpdatedMillis: startTimeMillis,
    transitionHistory: [{ phase: 'ACTIVE', startTimeMillis }],
  });
  const options = {
    ...example.options,
    validationQuery: { term: { some_field: 'kept as it is' } },
    transientTargetSettings: { 'index.number_of_replicas': '0' },
  };
  const migration: MigrationRecord = { ...example, options, ...parts };
  const shards = [0, 1].map((shard) => newShardRecord(key, shard, startTimeMillis));
  return { migration, shards };
}
