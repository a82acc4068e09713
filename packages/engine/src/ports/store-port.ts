import type { MigrationRecord, SetAsideDocument, ShardRecord, VerificationRecord } from '@aosc/contract';
import type { Call } from './call';

/** A stored record with its position: a compare-and-set succeeds only while the record still has it. */
export interface Stored<R> {
  readonly record: R;
  readonly seqNo: number;
  readonly primaryTerm: number;
}

/** Durable state in `.aosc-migrations`. Every change is a compare-and-set; a lost one is ClusterError('conflict'). */
export interface StorePort {
  readMigration(key: string, call: Call): Promise<Stored<MigrationRecord> | undefined>;
  readShard(key: string, shard: number, call: Call): Promise<Stored<ShardRecord> | undefined>;
  /** All shard records of a migration, realtime, by shard number. */
  readShards(key: string, shardCount: number, call: Call): Promise<readonly Stored<ShardRecord>[]>;
  replaceMigration(
    before: Stored<MigrationRecord>,
    after: MigrationRecord,
    call: Call,
  ): Promise<Stored<MigrationRecord>>;
  /**
   * Makes sure that a record which was read has been acknowledged (`acknowledged-write`). If this process has the
   * answer to the record's last write, no write is needed. Otherwise this writes the record again, unchanged.
   * @throws ClusterError 'conflict' when the record has changed since the read
   */
  confirmMigration(found: Stored<MigrationRecord>, call: Call): Promise<Stored<MigrationRecord>>;
  replaceShard(before: Stored<ShardRecord>, after: ShardRecord, call: Call): Promise<Stored<ShardRecord>>;
}

/** The bytes of documents that were set aside, in an index of their own. Each call is harmless to repeat. */
export interface RefusedStorePort {
  /** Makes the index where there is none. */
  ensure(call: Call): Promise<void>;
  /** Stores the documents; resolves when the cluster has acknowledged them. */
  keep(key: string, shard: number, documents: readonly KeptDocument[], call: Call): Promise<void>;
  forget(key: string, shard: number, entries: readonly SetAsideDocument[], call: Call): Promise<void>;
  forgetAll(key: string, call: Call): Promise<void>;
}

export interface KeptDocument {
  readonly entry: SetAsideDocument;
  readonly source: Uint8Array;
}

/** Records of verifications, by compare-and-set as well. */
export interface VerificationStorePort {
  /** The migration's newest verification; undefined: none was asked for. */
  readVerification(key: string, call: Call): Promise<Stored<VerificationRecord> | undefined>;
  /** @param before what `readVerification` gave */
  replaceVerification(
    before: Stored<VerificationRecord> | undefined,
    after: VerificationRecord,
    call: Call,
  ): Promise<Stored<VerificationRecord>>;
}
