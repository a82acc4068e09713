import type { MigrationRecord } from '@aosc/contract';
import { exampleMigration } from '@aosc/testkit';

/** A migration of two shards into four, a while after its start. */
export function createMigration(parts: Partial<MigrationRecord> = {}): MigrationRecord {
  const example = exampleMigration({
    shardRoutingMode: 'SPLIT_SHARD',
    sourceShardCount: 2,
    targetShardCount: 4,
    lastUpdatedMillis: 6500,
    transitionHistory: [{ phase: 'ACTIVE', startTimeMillis: 1000 }],
    sourceUuid: 's',
    targetUuid: 't',
  });
  const options = { ...example.options, transientTargetSettings: { 'index.number_of_replicas': '0' } };
  return { ...example, options, ...parts };
}
