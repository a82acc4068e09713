import { isDeepStrictEqual } from 'node:util';
import type { ClaimRecord, MigrationRecord, ShardRecord } from '@aosc/contract';
import { type Call, ClusterError, type Stored } from '@aosc/engine';
import { timeLimit } from '@aosc/signals';
import { type Claims, claimsOf } from './claims';
import type { DocumentIndex, Position } from './document-index';
import { type ClaimRole, documentIds } from './keys';
import type { Queries } from './queries';
import { shardCodec } from './record-codec';
import { writeLast } from './write-last';

export type CreateOutcome =
  | { readonly type: 'created'; readonly migration: Stored<MigrationRecord> }
  /** `holder` is a claim on the source or target (`role`) of a migration that has not ended */
  | { readonly type: 'index_in_use'; readonly holder: ClaimRecord }
  /** there is, or was, a migration with that id */
  | { readonly type: 'id_taken' };

export interface StartTools {
  readonly index: DocumentIndex;
  readonly claims: Claims;
  readonly queries: Pick<Queries, 'findActiveUsing'>;
  /** epoch milliseconds */
  readonly now: () => number;
  /** never gives the same id twice */
  readonly newId: () => string;
}

/** Shard records in one request: each is about a KB. */
const recordsPerRequest = 200;
/** The remains of a failed start do no harm, so the caller does not wait longer for their removal. */
const cleanupMs = 5_000;

/**
 * Writes the records of a new migration: both claims, the shards, and the migration itself last, so that no reader sees
 * a start that is half made. Whatever a failure leaves behind counts for a minute at most.
 *
 * A failed start removes its claims only when no migration record exists or can still appear: a migration without
 * claims would let a second migration write to its indices. If a start does not know whether its record exists, it
 * leaves its claims. They hold if the record exists. Otherwise they count as a dead start's after a minute.
 * @throws ClusterError('transient') when the outcome is unknown even after a second look
 */
export async function createMigration(
  { index, claims, queries, now, newId }: StartTools,
  { migration, shards }: { migration: MigrationRecord; shards: readonly ShardRecord[] },
  call: Call,
): Promise<CreateOutcome> {
  const taken: Stored<ClaimRecord>[] = [];
  const giveUp = async () => {
    const cleanup = { ...call, signal: timeLimit(cleanupMs) };
    await Promise.allSettled(taken.map((claim) => claims.releaseClaim(claim, cleanup)));
  };
  try {
    await index.ensure(call);
    for (const claim of claimsOf(migration, now(), newId())) {
      const attempt = await claims.take(claim, call);
      if (attempt.type === 'held') {
        await giveUp();
        return { type: 'index_in_use', holder: attempt.holder };
      }
      taken.push(attempt.claim);
    }
    const holder =
      (await findCrossing(claims, migration, call)) ?? (await findUnclaimed(queries, migration, call));
    if (holder !== undefined) {
      await giveUp();
      return { type: 'index_in_use', holder };
    }
    if ((await index.get(documentIds.migration(migration.key), call)) !== undefined) {
      await giveUp();
      return { type: 'id_taken' };
    }
    await createShards(index, shards, call);
  } catch (error) {
    await giveUp();
    throw error;
  }
  const last = await writeLast(index, claims, migration, call);
  if (last.type === 'created') return last;
  await giveUp();
  throw last.error;
}

/**
 * The claim of a migration whose source is this target, or whose target is this source. This looks after both own
 * claims exist: of two starts that cross, at least one sees the other.
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

/**
 * A running migration on one of the indices, although an operator has deleted its claims. It started long before, so a
 * search finds it.
 */
async function findUnclaimed(
  queries: StartTools['queries'],
  { sourceIndex, targetIndex }: MigrationRecord,
  call: Call,
): Promise<ClaimRecord | undefined> {
  const names = [sourceIndex, targetIndex];
  const [running] = await queries.findActiveUsing(names, call);
  if (running === undefined) return undefined;
  const lost = claimsOf(running.record, running.record.startTimeMillis);
  return lost.find(({ indexName }) => names.includes(indexName));
}

async function createShards(index: DocumentIndex, shards: readonly ShardRecord[], call: Call): Promise<void> {
  for (let from = 0; from < shards.length; from += recordsPerRequest) {
    const records = shards.slice(from, from + recordsPerRequest);
    const creations = records.map((record) => ({
      id: documentIds.shard(record.key, record.shard),
      body: shardCodec.write(record),
    }));
    const outcomes = await index.createMany(creations, call);
    for (const [at, record] of records.entries()) await assertCreated(index, record, outcomes[at], call);
  }
}

/** Only the start that holds the claims creates shard records, so an existing record is the echo of our own write. */
async function assertCreated(
  index: DocumentIndex,
  record: ShardRecord,
  outcome: Position | ClusterError | undefined,
  call: Call,
): Promise<void> {
  if (!(outcome instanceof ClusterError)) return;
  if (outcome.kind !== 'conflict') throw outcome;
  const found = await index.get(documentIds.shard(record.key, record.shard), call);
  if (found === undefined || !isDeepStrictEqual(shardCodec.read(found).record, record)) throw outcome;
}
