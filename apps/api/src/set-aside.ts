import {
  AoscError,
  type MigrationRecord,
  type SetAside,
  type SetAsideAnswer,
  SetAsideAnswerSchema,
  toWire,
} from '@aosc/contract';
import { allSetAside } from '@aosc/domain';
import { type Call, describeSetAside } from '@aosc/engine';
import type { MigrationStore } from '@aosc/store';

type Store = Pick<MigrationStore, 'readShards'>;

/** All documents of a migration that were set aside. */
export async function readSetAside(
  store: Store,
  migration: MigrationRecord,
  call: Call,
): Promise<SetAsideAnswer> {
  const stored = await store.readShards(migration.key, migration.sourceShardCount, call);
  const shards = stored.map(({ record }) => record);
  return toWire(SetAsideAnswerSchema, {
    migrationId: migration.migrationId,
    ...(await describeSetAside(migration, shards)),
    documents: [...allSetAside(shards)],
  });
}

/**
 * @returns what a person who has seen this digest accepts
 * @throws AoscError conflict when other documents are set aside by now, or none
 */
export async function requireDigest(
  store: Store,
  migration: MigrationRecord,
  digest: string,
  call: Call,
): Promise<SetAside> {
  const stored = await store.readShards(migration.key, migration.sourceShardCount, call);
  const now = await describeSetAside(
    migration,
    stored.map(({ record }) => record),
  );
  if (now.count > 0 && now.digest === digest) return now;
  throw new AoscError(
    'conflict',
    `accept_set_aside is not the digest of what is set aside now in the migration of [${migration.sourceIndex}]: ` +
      `${now.count} documents, digest [${now.digest}]; look at them again (_set_aside)`,
  );
}
