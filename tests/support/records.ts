import { setTimeout as pause } from 'node:timers/promises';
import {
  type CamelStatic,
  createParser,
  fromWire,
  MigrationRecordSchema,
  type ShardRecord,
  ShardRecordSchema,
  type Snapshot,
} from '@aosc/contract';
import { migrationRecordId, shardRecordId } from '@aosc/domain';
import { migrationFromStored, migrationKey, systemIndex } from '@aosc/store';
import { callJson, type HttpClient } from '@aosc/testkit';
import { type TSchema, Type } from '@sinclair/typebox';
import { type ToldMigration, toldMigration } from './told-migration';

const parseFound = createParser(
  `answer of _mget on ${systemIndex}`,
  Type.Object({
    docs: Type.Array(
      Type.Union([
        Type.Object({ found: Type.Literal(true), _source: Type.Unknown() }),
        // The answer as a whole has status 200 also when the shard can't be asked, as after a restart.
        Type.Object({ error: Type.Object({ type: Type.String() }) }),
      ]),
    ),
  }),
);

/** OpenSearch can't read a record just now: its shard has no copy that answers. */
export class RecordUnreadable extends Error {
  override readonly name = 'RecordUnreadable';
}

/** The records of all shards of a migration, as they are right now. */
export function readShardRecords(
  http: HttpClient,
  migrationId: string,
  shards: number,
): Promise<readonly ShardRecord[]> {
  const key = migrationKey(migrationId);
  const ids = Array.from({ length: shards }, (_, shard) => shardRecordId(key, shard));
  return readRecords(http, ShardRecordSchema, ids);
}

/** The record of a migration, as it is right now. */
export async function readMigrationRecord(http: HttpClient, migrationId: string): Promise<ToldMigration> {
  const id = migrationRecordId(migrationKey(migrationId));
  const [record] = await readRecords(http, MigrationRecordSchema, [id]);
  if (record === undefined) throw new Error(`${systemIndex} has no record of ${migrationId}`);
  return toldMigration(migrationFromStored(record));
}

async function readRecords<S extends TSchema>(
  http: HttpClient,
  schema: S,
  ids: readonly string[],
): Promise<readonly CamelStatic<S>[]> {
  const parse = createParser('record', schema);
  const { docs } = await callJson(http, parseFound, 'POST', `/${systemIndex}/_mget`, { ids });
  return docs.map((doc) => {
    if ('error' in doc) throw new RecordUnreadable(`${systemIndex}: ${doc.error.type}`);
    return fromWire(schema, parse(doc._source));
  });
}

/** What the records of a migration's shards showed from its start to its end. */
export interface RecordWatch {
  /** every point in time that was recorded and seen */
  readonly pitIds: ReadonlySet<string>;
  /** the snapshot that each shard's backfill began with */
  readonly firstSnapshots: ReadonlyMap<number, Snapshot>;
  /** shards whose `documents_indexed` was seen to fall, with the figures */
  readonly setbacks: readonly string[];
  /** @throws what broke the watch */
  stop(): Promise<void>;
}

const pollMs = 100;

/** Looks at the shard records again and again. What lives for a shorter time than a look is not seen. */
export function watchRecords(http: HttpClient, migrationId: string, shards: number): RecordWatch {
  const pitIds = new Set<string>();
  const firstSnapshots = new Map<number, Snapshot>();
  const indexed = new Map<number, number>();
  const setbacks: string[] = [];
  const ending = new AbortController();

  const note = (record: ShardRecord): void => {
    const { shard, snapshot, nextSnapshot, closingPitIds, backfill } = record;
    for (const id of [snapshot?.pitId, nextSnapshot?.pitId, ...closingPitIds]) {
      if (id !== undefined) pitIds.add(id);
    }
    if (snapshot !== undefined && !firstSnapshots.has(shard)) firstSnapshots.set(shard, snapshot);
    const before = indexed.get(shard) ?? 0;
    const now = backfill?.documentsIndexed ?? 0;
    if (now < before) setbacks.push(`shard ${shard}: ${now} after ${before}`);
    indexed.set(shard, now);
  };
  const watch = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      for (const record of await readShardRecords(http, migrationId, shards)) note(record);
      await pause(pollMs, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  };
  const watching = watch();
  watching.catch(() => undefined);
  return {
    pitIds,
    firstSnapshots,
    setbacks,
    stop: () => {
      ending.abort();
      return watching;
    },
  };
}
