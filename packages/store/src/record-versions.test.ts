import {
  setAsideSchemaVersion,
  verifySchemaVersion,
  type MigrationRecord,
  NewerVersionError,
  postponedSchemaVersion,
  recordSchemaVersion,
  type ResolvedOptions,
} from '@aosc/contract';
import { newShardRecord } from '@aosc/domain';
import { exampleMigration } from '@aosc/testkit';
import { createRecords } from './__tests__/create-records';
import { MemoryIndex } from './__tests__/memory-index';
import { documentIds } from './keys';
import {
  abandonedCodec,
  claimCodec,
  installationCodec,
  migrationCodec,
  type RecordCodec,
  settingsCodec,
  shardCodec,
  timelineCodec,
} from './record-codec';
import { createStore } from './store';

const key = '0123456789abcdef0123';
const position = { seqNo: 4, primaryTerm: 1 };
const call = { signal: new AbortController().signal };

/** How a kind of record is read from a document and written back, and an example of it as it is stored. */
function describeKind<R>(codec: RecordCodec<R>, example: R) {
  return {
    stored: codec.write(example),
    read: (record: object): R => codec.read({ record, ...position }).record,
    rewrite: (record: object): object => codec.write(codec.read({ record, ...position }).record),
  };
}

const schemaVersion = recordSchemaVersion;
const points = {
  atMillis: [1],
  phase: ['ACTIVE'],
  documentsIndexed: [1],
  documentsPerSecond: [1],
  bytesPerSecond: [1],
  gap: [null],
  batchBytes: [1],
  concurrency: [1],
  pauses: [0],
  bulkLatencyMs: [4],
} as const;
const names = { installationId: 'i', clusterUuid: 'c', redisId: 'r', renewedAtMillis: 1 };
const claim = { role: 'source', indexName: 'books', key, migrationId: 'm', claimedAtMillis: 1 } as const;

const kinds = [
  ['migration record', describeKind(migrationCodec, exampleMigration())],
  ['shard record', describeKind(shardCodec, newShardRecord(key, 0, 1))],
  ['timeline record', describeKind(timelineCodec, { kind: 'timeline', schemaVersion, key, points })],
  ['claim record', describeKind(claimCodec, { kind: 'claim', schemaVersion, ...claim })],
  [
    'settings record',
    describeKind(settingsCodec, {
      kind: 'settings',
      schemaVersion,
      persistent: { 'aosc.to.come': '1' },
      transient: {},
    }),
  ],
  ['installation record', describeKind(installationCodec, { kind: 'installation', schemaVersion, ...names })],
  [
    'abandoned record',
    describeKind(abandonedCodec, { kind: 'abandoned', schemaVersion, key, migrationId: 'm' }),
  ],
] as const;

/** Only a migration has a change that services of before must not miss. */
const newestOf = (what: string): number =>
  what === 'migration record' ? setAsideSchemaVersion : recordSchemaVersion;

describe.each(kinds)('a %s', (what, { stored, read, rewrite }) => {
  test('of this version comes back as it was written', () => {
    expect(stored).toMatchObject({ schema_version: recordSchemaVersion });
    expect(rewrite(stored)).toEqual(stored);
  });

  test('of an earlier version is read, and bears this version when it is written back', () => {
    const earlier = { ...stored, schema_version: recordSchemaVersion - 1 };
    expect(read(earlier)).toEqual({ ...read(stored), schemaVersion: recordSchemaVersion - 1 });
    expect(rewrite(earlier)).toEqual(stored);
  });

  test('of this version with a field that a later service has added is read without it', () => {
    expect(read({ ...stored, to_come: { is: 'optional' } })).toEqual(read(stored));
  });

  test.each([1, 40])('of %i versions later is refused with what to do', (further) => {
    const version = newestOf(what) + further;
    const refused = () => read({ ...stored, schema_version: version });
    expect(refused).toThrow(NewerVersionError);
    expect(refused).toThrow(`this ${what}: it has version ${version}`);
    expect(refused).toThrow('This process leaves it as it is; run the later version');
  });

  test('of a later version is refused by its version also when nothing else of it is known', () => {
    expect(() => read({ schema_version: 9 })).toThrow(NewerVersionError);
  });
});

const postponing: readonly (readonly [Partial<ResolvedOptions>, MigrationRecord['cutoverOrder']])[] = [
  [{ cutover: 'manual' }, undefined],
  [{ cutoverNotBefore: '2026-11-28T02:00:00Z' }, undefined],
  [{ cutoverWindows: [{ from: '01:00', to: '02:00' }] }, undefined],
  [{}, { type: 'postponed', atMillis: 1 }],
];

test.each(postponing)(
  'a migration with %j %j is refused by services that would not wait',
  (options, order) => {
    const { migration } = createRecords('films', 'films2');
    const record = {
      ...migration,
      options: { ...migration.options, ...options },
      ...(order !== undefined && { cutoverOrder: order }),
    };
    const written = migrationCodec.write(record);
    expect(written).toMatchObject({ schema_version: postponedSchemaVersion });
    const schemaVersion = postponedSchemaVersion;
    expect(migrationCodec.read({ record: written, ...position }).record).toEqual({
      ...record,
      schemaVersion,
    });
  },
);

test.each(['content', 'count'] as const)(
  'a migration with verify %s is refused by services that would swap without it',
  (verify) => {
    const { migration } = createRecords('films', 'films2');
    const written = migrationCodec.write({ ...migration, options: { ...migration.options, verify } });
    expect(written).toMatchObject({
      schema_version: verify === 'content' ? verifySchemaVersion : recordSchemaVersion,
    });
  },
);

test('a migration that sets documents aside is refused by services that would forget them', () => {
  const { migration } = createRecords('films', 'films2');
  const setting = (onDocumentError: 'fail' | 'set_aside') =>
    migrationCodec.write({ ...migration, options: { ...migration.options, onDocumentError } });
  expect(setting('set_aside')).toMatchObject({ schema_version: setAsideSchemaVersion });
  expect(setting('fail')).toMatchObject({ schema_version: recordSchemaVersion });
});

test('a curve that an earlier version has written has no latencies, and is read and written back', () => {
  const { bulkLatencyMs: _unknown, ...earlier } = points;
  const record = { kind: 'timeline', schemaVersion, key, points: earlier } as const;
  const read = timelineCodec.read({ record: timelineCodec.write(record), ...position }).record;
  expect(read).toEqual(record);
});

/** Two migrations that run, of which a later version has since written to the first one's record. */
async function startTwo() {
  const index = new MemoryIndex();
  const documents = index.connect(() => 'answered');
  const passedOver: string[] = [];
  const store = createStore(
    documents,
    () => 1_700_000_000_000,
    (id) => passedOver.push(id),
  );
  const [later, own] = [createRecords('films', 'films2'), createRecords('books', 'books2')];
  for (const { migration, shards } of [later, own]) await store.createMigration(migration, shards, call);
  const id = documentIds.migration(later.migration.key);
  const before = await documents.get(id, call);
  if (before === undefined) throw new Error('the start has left no record');
  const record = { ...migrationCodec.write(later.migration), schema_version: setAsideSchemaVersion + 1 };
  await documents.replace(id, before, { ...record, to_come: 1 }, false, call);
  return { store, later, own, passedOver, id, readRaw: () => documents.get(id, call) };
}

test('a scheduler passes over a migration of a later version, reports it, and lists the others', async () => {
  const { store, own, passedOver, id } = await startTwo();
  const active = await store.listActive(call);
  expect(active.map(({ record }) => record.migrationId)).toEqual([own.migration.migrationId]);
  expect(passedOver).toEqual([id]);
  const running = await store.listRunning(call);
  expect(running.map(({ key }) => key)).toEqual([own.migration.key]);
  expect(passedOver).toEqual([id, id]);
});

test('each read of it is refused, and nothing of it is changed', async () => {
  const { store, later, readRaw } = await startTwo();
  const before = await readRaw();
  const { migration } = later;
  const again = createRecords('films', 'films3', { startTimeMillis: 1_700_000_000_001 });
  for (const asked of [
    () => store.readMigration(migration.key, call),
    () => store.findMigrationBySource('films', call),
    () => store.findMigrationUsing('films2', call),
    () => store.createMigration(again.migration, again.shards, call),
  ]) {
    await expect(asked()).rejects.toThrow(NewerVersionError);
  }
  expect(await readRaw()).toEqual(before);
  // Its claims hold: no second migration has come to write to its indices.
  expect(await store.holdsClaims(migration, call)).toBe(true);
  expect(await store.readMigration(again.migration.key, call)).toBeUndefined();
});

test('a shard of a later version is refused, also among others that can be read', async () => {
  const { store, own } = await startTwo();
  const { key: ownKey } = own.migration;
  const documents = new MemoryIndex().connect(() => 'answered');
  const second = createStore(documents, () => 0);
  const newer = { ...shardCodec.write(newShardRecord(ownKey, 1, 1)), schema_version: 2 };
  await documents.create(
    documentIds.shard(ownKey, 0),
    shardCodec.write(newShardRecord(ownKey, 0, 1)),
    false,
    call,
  );
  await documents.create(documentIds.shard(ownKey, 1), newer, false, call);
  expect(await second.readShard(ownKey, 0, call)).toBeDefined();
  await expect(second.readShard(ownKey, 1, call)).rejects.toThrow(NewerVersionError);
  await expect(second.readShards(ownKey, 2, call)).rejects.toThrow(NewerVersionError);
  await expect(second.pollShards(ownKey, 2, call)).rejects.toThrow(NewerVersionError);
  const named = [{ key: ownKey, shard: 1 }];
  await expect(second.pollShardsNamed(named, call)).rejects.toThrow(NewerVersionError);
  expect(await store.readShards(ownKey, 2, call)).toHaveLength(2);
});
