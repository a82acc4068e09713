import {
  type MigrationRecord,
  type ShardRecord,
  type StatusDocument,
  StatusSchema,
  toWire,
} from '@aosc/contract';
import { leaseId } from '@aosc/domain';

/** The status document of a migration. What else the records hold is the service's own business. */
export function toStatusDocument(migration: MigrationRecord, shards: readonly ShardRecord[]): StatusDocument {
  return toWire(StatusSchema, {
    ...migration,
    // Every delete carries the routing its document had: what the original calls this strategy.
    deleteRoutingStrategy: 'TRANSLOG_ROUTING',
    shards: Object.fromEntries(
      shards.map((shard) => [String(shard.shard), { ...shard, meta: metaOfShard(migration, shard) }]),
    ),
    meta: metaOfMigration(migration),
  });
}

function metaOfShard({ migrationId }: MigrationRecord, shard: ShardRecord): Record<string, string> {
  return shard.snapshot === undefined ? {} : { active_lease: leaseId(migrationId, shard.shard) };
}

/** Values as text; an original value that was at its default is empty. */
function metaOfMigration({
  writeBlock,
  committed,
  targetOriginals,
}: MigrationRecord): Record<string, string> {
  const originals = Object.entries(targetOriginals ?? {}).map(([name, value]) => [
    `target.original.${name}`,
    value ?? '',
  ]);
  return {
    'write_block.applied': String(writeBlock !== undefined && !writeBlock.lifted),
    'alias.swapped': String(committed),
    ...(Object.fromEntries(originals) as Record<string, string>),
  };
}
