import { createHash } from 'node:crypto';
import { type MigrationRecord, type ShardRecord, StatusSchema } from '@aosc/contract';
import type { Call, Stored } from '@aosc/engine';
import type { MigrationStore } from '@aosc/store';
import type { Tagged } from '../http/entity-tag';
import { toStatusDocument } from './status-document';

/** A status looks another way after an update of the service: its tag must, too. */
const shape = JSON.stringify(StatusSchema);

/** Reads the running or the newest migration of a source. @returns nothing when it never had one */
export async function readStatus(
  store: Pick<MigrationStore, 'findMigrationBySource' | 'pollShards'>,
  source: string,
  call: Call,
): Promise<Tagged | undefined> {
  const migration = await store.findMigrationBySource(source, call);
  if (migration === undefined) return undefined;
  const { key, sourceShardCount } = migration.record;
  const shards = await store.pollShards(key, sourceShardCount, call);
  let text: string | undefined;
  return {
    etag: tagOf(migration, shards),
    text: () => (text ??= render(migration, shards)),
  };
}

function render({ record }: Stored<MigrationRecord>, shards: readonly Stored<ShardRecord>[]): string {
  return JSON.stringify(
    toStatusDocument(
      record,
      shards.map((shard) => shard.record),
    ),
  );
}

/** From the records' versions: every write of one of them changes its own. */
function tagOf(migration: Stored<MigrationRecord>, shards: readonly Stored<ShardRecord>[]): string {
  const hash = createHash('sha256')
    .update(shape)
    .update(`${migration.record.key} ${versionOf(migration)}`);
  for (const shard of shards) hash.update(` ${shard.record.shard}:${versionOf(shard)}`);
  return `W/"${hash.digest('base64url').slice(0, 22)}"`;
}

const versionOf = ({ seqNo, primaryTerm }: Stored<unknown>): string => `${seqNo}.${primaryTerm}`;
