import type { ClaimRecord, MigrationRecord, ShardRecord } from '@aosc/contract';
import { type Call, ClusterError, isClusterError, type Stored } from '@aosc/engine';
import { timeLimit } from '@aosc/signals';
import { type Claims, claimsOf } from './claims';
import type { DocumentIndex } from './document-index';
import { type ClaimRole, documentIds } from './keys';
import { at, kindOf, migrationCodec, shardCodec } from './record-codec';

export type CreateOutcome =
  | { readonly type: 'created'; readonly migration: Stored<MigrationRecord> }
  /** `indexName` is the source (`role`) or target of the holder's migration, which has not ended */
  | { readonly type: 'index_in_use'; readonly holder: ClaimRecord }
  /** there is, or was, a migration of that id */
  | { readonly type: 'id_taken' };

/** Shard records written at the same time. */
const width = 8;
/** What a failed start leaves behind is harmless, so clearing it away may not take long. */
const cleanupMs = 5_000;

/**
 * Writes the records of a new migration: both claims, the shards, and the migration itself last, so that nobody
 * sees a start that is half made. Whatever fails before the end leaves nothing that outlives a minute.
 * @throws ClusterError('transient') when the outcome is unknown even after a second look
 */
export async function createMigration(
  index: DocumentIndex,
  claims: Claims,
  now: () => number,
  { migration, shards }: { migration: MigrationRecord; shards: readonly ShardRecord[] },
  call: Call,
): Promise<CreateOutcome> {
  const taken: Stored<ClaimRecord>[] = [];
  const giveUp = async () => {
    const cleanup = { ...call, signal: timeLimit(cleanupMs) };
    await Promise.allSettled(taken.map((claim) => claims.giveBack(claim, cleanup)));
  };
  try {
    await index.ensure(call);
    for (const claim of claimsOf(migration, now())) {
      const attempt = await claims.take(claim, call);
      if (attempt.type === 'held') {
        await giveUp();
        return { type: 'index_in_use', holder: attempt.holder };
      }
      taken.push(attempt.claim);
    }
    const crossing = await findCrossing(claims, migration, call);
    if (crossing !== undefined) {
      await giveUp();
      return { type: 'index_in_use', holder: crossing };
    }
    if ((await index.get(documentIds.migration(migration.key), call)) !== undefined) {
      await giveUp();
      return { type: 'id_taken' };
    }
    await createShards(index, shards, call);
    return { type: 'created', migration: await createLast(index, claims, migration, call) };
  } catch (error) {
    await giveUp();
    throw error;
  }
}

/**
 * A target that is another migration's source, or a source that is another's target. Looked for after both own
 * claims are made: of two starts that cross, at least one sees the other.
 */
async function findCrossing(
  claims: Claims,
  { sourceIndex, targetIndex }: MigrationRecord,
  call: Call,
): Promise<ClaimRecord | undefined> {
  const others: readonly [ClaimRole, string][] = [
    ['target', sourceIndex],
    ['source', targetIndex],
  ];
  for (const [role, name] of others) {
    const claim = await claims.read(role, name, call);
    if (claim !== undefined && (await claims.isHeld(claim.record, call))) return claim.record;
  }
  return undefined;
}

async function createShards(index: DocumentIndex, shards: readonly ShardRecord[], call: Call): Promise<void> {
  for (let from = 0; from < shards.length; from += width) {
    await Promise.all(
      shards
        .slice(from, from + width)
        .map((record) =>
          index.create(documentIds.shard(record.key, record.shard), shardCodec.write(record), false, call),
        ),
    );
  }
}

/**
 * The write that makes the migration exist. When its answer is lost, a second look decides; when the record is
 * not there, its place is taken, so that a write still under way can't create it after all.
 */
async function createLast(
  index: DocumentIndex,
  claims: Claims,
  migration: MigrationRecord,
  call: Call,
): Promise<Stored<MigrationRecord>> {
  const id = documentIds.migration(migration.key);
  try {
    return at(migration, await index.create(id, migrationCodec.write(migration), true, call));
  } catch (error) {
    if (isClusterError(error, 'conflict')) throw await explainConflict(index, id, error, call);
    if (!isClusterError(error, 'transient', 'aborted', 'overload')) throw error;
    const second = { ...call, signal: timeLimit(cleanupMs) };
    if (await claims.abandon(migration.key, migration.migrationId, second)) throw error;
    const document = await index.get(id, second);
    if (document === undefined) throw error;
    return migrationCodec.read(document);
  }
}

async function explainConflict(index: DocumentIndex, id: string, error: unknown, call: Call) {
  const document = await index.get(id, call);
  const abandoned = document !== undefined && kindOf(document) === 'abandoned';
  return new ClusterError(
    'conflict',
    abandoned
      ? 'the start took so long that another one took its claims over'
      : 'a migration of the same id was created at the same moment',
    {},
    { cause: error },
  );
}
