import { randomUUID } from 'node:crypto';
import type { MigrationRecord, ShardRecord } from '@aosc/contract';
import type { Call, ClaimsPort, Stored, StorePort, VerificationStorePort } from '@aosc/engine';
import { createClaims } from './claims';
import { createMigration } from './create-migration';
import type { DocumentIndex } from './document-index';
import { documentIds } from './keys';
import { createPolledRecords } from './polled-records';
import { createMigrationWrites } from './migration-writes';
import { createQueries, type OnUnreadable, readMigrationDocument } from './queries';
import {
  at,
  installationCodec,
  type RecordCodec,
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

/** Enough for a few migrations of the largest indices; a record is some KB. */
const maxPolledShards = 4096;

const shardIds = (key: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, shard) => documentIds.shard(key, shard));
const idsOf = (shards: readonly ShardName[]): readonly string[] =>
  shards.map(({ key, shard }) => documentIds.shard(key, shard));

/**
 * Everything the service keeps. Every change is a compare-and-set: a lost race is ClusterError 'conflict'.
 * @param now epoch milliseconds
 * @param onUnreadable called for records that `listActive` had to skip
 */
export function createStore(
  index: DocumentIndex,
  now: () => number,
  onUnreadable: OnUnreadable = () => undefined,
) {
  const claims = createClaims(index, now);
  const polledShards = createPolledRecords(index, (document) => shardCodec.read(document), maxPolledShards);
  const queries = createQueries(index, claims, now, onUnreadable);

  async function read<R>(codec: RecordCodec<R>, id: string, call: Call): Promise<Stored<R> | undefined> {
    const document = await index.get(id, call);
    return document && codec.read(document);
  }

  /**
   * Replaces the record that a read has found, or creates it where the read has found none. Before a creation this
   * ensures the index with its mapping.
   */
  function replace<R>(codec: RecordCodec<R>, idOf: (record: R) => string) {
    return async (before: Stored<R> | undefined, after: R, call: Call): Promise<Stored<R>> => {
      const body = codec.write(after);
      if (before !== undefined) return at(after, await index.replace(idOf(after), before, body, false, call));
      await index.ensure(call);
      return at(after, await index.create(idOf(after), body, false, call));
    };
  }

  const port: StorePort & VerificationStorePort & ClaimsPort = {
    ...createMigrationWrites(index),
    readMigration: async (key, call) =>
      readMigrationDocument(await index.get(documentIds.migration(key), call)),
    readShard: (key, shard, call) => read(shardCodec, documentIds.shard(key, shard), call),
    readShards: async (key, shardCount, call) => {
      const documents = await index.getMany(shardIds(key, shardCount), call);
      return documents.flatMap((document) => (document === undefined ? [] : [shardCodec.read(document)]));
    },
    replaceShard: replace(shardCodec, ({ key, shard }) => documentIds.shard(key, shard)),
    readVerification: (key, call) => read(verificationCodec, documentIds.verification(key), call),
    replaceVerification: replace(verificationCodec, ({ key }) => documentIds.verification(key)),
    releaseClaims: claims.release,
    findMigrationUsing: queries.findUsing,
    listActive: queries.listActive,
  };

  return {
    ...port,
    /** Creates `.aosc-migrations`, or applies its mapping again. */
    ensureIndex: (call: Call) => index.ensure(call),
    /**
     * Starts a migration: afterwards it exists with its claims on both indices, or it does not exist, and what is left
     * of it counts for a minute at most.
     * @throws ClusterError 'transient' when it is not known whether the migration exists
     */
    createMigration: (migration: MigrationRecord, shards: readonly ShardRecord[], call: Call) =>
      createMigration({ index, claims, queries, now, newId: randomUUID }, { migration, shards }, call),
    /** `readShards` for repeated reads of the same shards: it costs little when little has changed. */
    pollShards: (key: string, shardCount: number, call: Call) =>
      polledShards(shardIds(key, shardCount), call),
    /** `pollShards` for any shards of any migrations, with the same number of requests. */
    pollShardsNamed: (shards: readonly ShardName[], call: Call) => polledShards(idsOf(shards), call),
    /** Whether the migration, ended or not, still holds a claim on source or target. Read in real time. */
    holdsClaims: async (migration: MigrationRecord, call: Call) =>
      (await claims.listOwn(migration, call)).length > 0,
    /** The running migration of a source, or else its newest. Also finds a migration that has just started. */
    findMigrationBySource: queries.findBySource,
    /** Newest first. */
    listMigrations: queries.list,
    /** Migrations that have not ended, as of the last refresh: one request for all of them. Oldest first. */
    listRunning: queries.listRunning,
    /** Keys of migrations whose verification runs, as of the last refresh. */
    listVerifying: queries.listVerifying,
    readTimeline: (key: string, call: Call) => read(timelineCodec, documentIds.timeline(key), call),
    replaceTimeline: replace(timelineCodec, ({ key }) => documentIds.timeline(key)),
    readSettings: (call: Call) => read(settingsCodec, documentIds.settings, call),
    replaceSettings: replace(settingsCodec, () => documentIds.settings),
    /** undefined: no process of the service has worked with this cluster yet */
    readInstallation: (call: Call) => read(installationCodec, documentIds.installation, call),
    replaceInstallation: replace(installationCodec, () => documentIds.installation),
  };
}
export type MigrationStore = ReturnType<typeof createStore>;
