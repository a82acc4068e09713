import { randomUUID } from 'node:crypto';
import type {
  InstallationRecord,
  MigrationRecord,
  SettingsRecord,
  ShardRecord,
  TimelineRecord,
} from '@aosc/contract';
import type { Call, ClaimsPort, Stored, StorePort, VerificationStorePort } from '@aosc/engine';
import { createClaims } from './claims';
import { createMigration, type CreateOutcome } from './create-migration';
import type { DocumentIndex, Position } from './document-index';
import { documentIds } from './keys';
import { createPolledRecords } from './polled-records';
import { createMigrationWrites } from './migration-writes';
import {
  createQueries,
  type MigrationFilter,
  type MigrationListing,
  type OnUnreadable,
  readMigrationDocument,
} from './queries';
import {
  at,
  installationCodec,
  type RecordCodec,
  type RunningMigration,
  settingsCodec,
  shardCodec,
  timelineCodec,
  verificationCodec,
} from './record-codec';

/** One source shard of one migration. */
export interface ShardName {
  readonly key: string;
  readonly shard: number;
}

/** Everything the service keeps. Every change is a compare-and-set: a lost race is ClusterError 'conflict'. */
export interface MigrationStore extends StorePort, VerificationStorePort, ClaimsPort {
  /** Creates `.aosc-migrations`, or applies its mapping again. */
  ensureIndex(call: Call): Promise<void>;
  /**
   * Starts a migration: afterwards it exists with its claims on both indices, or it does not exist, and what is left of
   * it counts for a minute at most.
   * @throws ClusterError 'transient' when it is not known whether the migration exists
   */
  createMigration(
    migration: MigrationRecord,
    shards: readonly ShardRecord[],
    call: Call,
  ): Promise<CreateOutcome>;
  /** The running migration of a source, or else its newest. Also finds a migration that has just started. */
  findMigrationBySource(source: string, call: Call): Promise<Stored<MigrationRecord> | undefined>;
  /** `readShards` for repeated reads of the same shards: it costs little when little has changed. */
  pollShards(key: string, shardCount: number, call: Call): Promise<readonly Stored<ShardRecord>[]>;
  /** {@link pollShards} for any shards of any migrations, with the same number of requests. */
  pollShardsNamed(shards: readonly ShardName[], call: Call): Promise<readonly Stored<ShardRecord>[]>;
  /** The running migration that has this index as its source or target. */
  findMigrationUsing(indexName: string, call: Call): Promise<MigrationRecord | undefined>;
  /** Whether the migration, ended or not, still holds a claim on source or target. Read in real time. */
  holdsClaims(migration: MigrationRecord, call: Call): Promise<boolean>;
  /** Newest first. */
  listMigrations(filter: MigrationFilter, call: Call): Promise<MigrationListing>;
  /** The scheduler's migrations: not ended, or ended and still guarded. Oldest first, read in real time. */
  listActive(call: Call): Promise<readonly Stored<MigrationRecord>[]>;
  /** Migrations that have not ended, as of the last refresh: one request for all of them. Oldest first. */
  listRunning(call: Call): Promise<readonly RunningMigration[]>;
  /** undefined: no moment was written yet */
  readTimeline(key: string, call: Call): Promise<Stored<TimelineRecord> | undefined>;
  /** @param before the result of `readTimeline` */
  replaceTimeline(
    before: Stored<TimelineRecord> | undefined,
    after: TimelineRecord,
    call: Call,
  ): Promise<Stored<TimelineRecord>>;
  /** Keys of migrations whose verification runs, as of the last refresh. */
  listVerifying(call: Call): Promise<readonly string[]>;
  /** undefined: nothing was ever set */
  readSettings(call: Call): Promise<Stored<SettingsRecord> | undefined>;
  /** @param before the result of `readSettings` */
  replaceSettings(
    before: Stored<SettingsRecord> | undefined,
    after: SettingsRecord,
    call: Call,
  ): Promise<Stored<SettingsRecord>>;
  /** undefined: no process of the service has worked with this cluster yet */
  readInstallation(call: Call): Promise<Stored<InstallationRecord> | undefined>;
  /** @param before the result of `readInstallation` */
  replaceInstallation(
    before: Stored<InstallationRecord> | undefined,
    after: InstallationRecord,
    call: Call,
  ): Promise<Stored<InstallationRecord>>;
}

/** A few migrations of the largest indices; a record is some KB. */
const maxPolledShards = 4096;

const shardIds = (key: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, shard) => documentIds.shard(key, shard));
const idsOf = (shards: readonly ShardName[]): readonly string[] =>
  shards.map(({ key, shard }) => documentIds.shard(key, shard));

/**
 * @param now epoch milliseconds
 * @param onUnreadable called for records that `listActive` had to skip
 */
export function createStore(
  index: DocumentIndex,
  now: () => number,
  onUnreadable: OnUnreadable = () => undefined,
): MigrationStore {
  const claims = createClaims(index, now);
  const polledShards = createPolledRecords(index, (document) => shardCodec.read(document), maxPolledShards);
  const queries = createQueries(index, claims, now, onUnreadable);

  async function read<R>(codec: RecordCodec<R>, id: string, call: Call): Promise<Stored<R> | undefined> {
    const document = await index.get(id, call);
    return document && codec.read(document);
  }

  /**
   * Replaces the record, or creates it where there was none. Before a creation it ensures the index with its mapping.
   */
  async function put<R>(
    codec: RecordCodec<R>,
    id: string,
    before: Position | undefined,
    after: R,
    call: Call,
  ): Promise<Stored<R>> {
    const body = codec.write(after);
    if (before !== undefined) return at(after, await index.replace(id, before, body, false, call));
    await index.ensure(call);
    return at(after, await index.create(id, body, false, call));
  }

  async function findMigrationUsing(indexName: string, call: Call): Promise<MigrationRecord | undefined> {
    for (const role of ['source', 'target'] as const) {
      const claim = await claims.read(role, indexName, call);
      if (claim === undefined || !(await claims.isHeld(claim.record, call))) continue;
      const document = await index.get(documentIds.migration(claim.record.key), call);
      const migration = readMigrationDocument(document);
      if (migration !== undefined) return migration.record;
    }
    // A migration also runs without its claims, if an operator has deleted them.
    return (await queries.findActiveUsing([indexName], call))[0]?.record;
  }

  return {
    ensureIndex: (call) => index.ensure(call),
    readMigration: async (key, call) =>
      readMigrationDocument(await index.get(documentIds.migration(key), call)),
    readShard: (key, shard, call) => read(shardCodec, documentIds.shard(key, shard), call),
    pollShards: (key, shardCount, call) => polledShards(shardIds(key, shardCount), call),
    pollShardsNamed: (shards, call) => polledShards(idsOf(shards), call),
    readShards: async (key, shardCount, call) => {
      const documents = await index.getMany(shardIds(key, shardCount), call);
      return documents.flatMap((document) => (document === undefined ? [] : [shardCodec.read(document)]));
    },
    ...createMigrationWrites(index),
    replaceShard: (before, after, call) =>
      put(shardCodec, documentIds.shard(after.key, after.shard), before, after, call),
    createMigration: (migration, shards, call) =>
      createMigration({ index, claims, queries, now, newId: randomUUID }, { migration, shards }, call),
    releaseClaims: (migration, call) => claims.release(migration, call),
    holdsClaims: async (migration, call) => (await claims.listOwn(migration, call)).length > 0,
    findMigrationBySource: (source, call) => queries.findBySource(source, call),
    findMigrationUsing,
    listMigrations: (filter, call) => queries.list(filter, call),
    listActive: (call) => queries.listActive(call),
    listRunning: (call) => queries.listRunning(call),
    readTimeline: (key, call) => read(timelineCodec, documentIds.timeline(key), call),
    replaceTimeline: (before, after, call) =>
      put(timelineCodec, documentIds.timeline(after.key), before, after, call),
    readVerification: (key, call) => read(verificationCodec, documentIds.verification(key), call),
    replaceVerification: (before, after, call) =>
      put(verificationCodec, documentIds.verification(after.key), before, after, call),
    listVerifying: (call) => queries.listVerifying(call),
    readSettings: (call) => read(settingsCodec, documentIds.settings, call),
    replaceSettings: (before, after, call) => put(settingsCodec, documentIds.settings, before, after, call),
    readInstallation: (call) => read(installationCodec, documentIds.installation, call),
    replaceInstallation: (before, after, call) =>
      put(installationCodec, documentIds.installation, before, after, call),
  };
}
