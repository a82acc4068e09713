import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { beginCopy, isTerminalPhase } from '@aosc/domain';
import { type Call, ClusterError } from '@aosc/engine';
import { type Stack, startStack } from '@aosc/local-stack';
import { createClient, createIndex, type OpenSearchClient, request, requestJson } from '@aosc/opensearch';
import { moveRead, startHttpFaultProxy } from '@aosc/testkit';
import { createRecords } from './__tests__/create-records';
import { orphanAgeMs } from './claims';
import type { DocumentIndex } from './document-index';
import { gatherRequests } from './gather-requests';
import { documentIds } from './keys';
import { createOpenSearchDocuments } from './opensearch-documents';
import { migrationCodec } from './record-codec';
import { createStore, type MigrationStore } from './store';
import { systemIndex } from './system-index';

jest.setTimeout(600_000);

const call: Call = { signal: new AbortController().signal };
// 50 starts at once share the signal
setMaxListeners(0, call.signal);
let stack: Stack | undefined;
let client: OpenSearchClient;
let documents: DocumentIndex;
let store: MigrationStore;

beforeAll(async () => {
  stack = await startStack({
    nodes: 1,
    redis: false,
    // a cluster that makes no index by itself
    openSearchSettings: { 'action.auto_create_index': false },
  });
  client = createClient({ nodes: stack.openSearchUrls });
  documents = createOpenSearchDocuments(client);
  store = createStore(documents, Date.now);
  await store.ensureIndex(call);
});

afterAll(async () => {
  if (stack !== undefined) await client.close();
  await stack?.stop();
});

/** Index names that no other test uses. */
const names = () => {
  const id = randomUUID();
  return { source: `s-${id}`, target: `t-${id}` };
};

async function create(source: string, target: string, from: MigrationStore = store) {
  const { migration, shards } = createRecords(source, target, { startTimeMillis: Date.now() });
  return { migration, outcome: await from.createMigration(migration, shards, call) };
}

async function createOne() {
  const { source, target } = names();
  const { outcome } = await create(source, target);
  if (outcome.type !== 'created') throw new Error(`not created: ${outcome.type}`);
  return outcome.migration;
}

const transient = () => new ClusterError('transient', 'the answer was lost');
const isMigrationId = (id: string) => id.startsWith('m-');

describe('the system index', () => {
  test('made again by a write, without its mapping: what to do is said, and nothing is deleted', async () => {
    const remove = () => request(client, { method: 'DELETE', path: `/${systemIndex}` }, call);
    await remove();
    const mappings = { properties: { kind: { type: 'text' } } };
    await createIndex(client, systemIndex, { mappings }, call);
    await expect(store.ensureIndex(call)).rejects.toThrow(/made it again without its mapping: stop all/);
    await remove();
    await store.ensureIndex(call);
  });

  test('that is there costs a look: nothing is asked of the cluster manager', async () => {
    const [url = ''] = stack?.openSearchUrls ?? [];
    const proxy = await startHttpFaultProxy(url);
    const methods: string[] = [];
    proxy.watch((passed) => methods.push(passed.call.method));
    const watched = createClient({ nodes: [proxy.url] });
    try {
      await createStore(createOpenSearchDocuments(watched), Date.now).ensureIndex(call);
    } finally {
      await watched.close();
      await proxy.stop();
    }
    expect(methods).toEqual(['GET']);
  });

  test('is hidden, has the mapping, and is made as often as asked', async () => {
    await store.ensureIndex(call);
    await store.ensureIndex(call);
    const all = await requestJson(
      client,
      { method: 'GET', path: `/${systemIndex}`, query: { flat_settings: true } },
      (value) => value as Record<string, { settings: object; mappings: object }>,
      call,
    );
    expect(all[systemIndex]?.settings).toMatchObject({
      'index.hidden': 'true',
      'index.number_of_shards': '1',
      'index.auto_expand_replicas': '0-1',
    });
    expect(all[systemIndex]?.mappings).toMatchObject({
      dynamic: 'false',
      properties: { phase: { type: 'keyword' }, start_time_millis: { type: 'long' } },
    });
  });
});

describe('a record', () => {
  test('comes back as it was written, and is found by its source at once', async () => {
    const created = await createOne();
    expect(await store.readMigration(created.record.key, call)).toEqual(created);
    expect(await store.findMigrationBySource(created.record.sourceIndex, call)).toEqual(created);
    const shards = await store.readShards(created.record.key, 2, call);
    expect(shards.map(({ record }) => record.shard)).toEqual([0, 1]);
    expect(await store.readShard(created.record.key, 1, call)).toEqual(shards[1]);
  });

  test('is seen by those who poll as soon as it is changed', async () => {
    const { key } = (await createOne()).record;
    const [first, second] = await store.pollShards(key, 2, call);
    expect([first, second]).toEqual(await store.readShards(key, 2, call));
    if (first === undefined) throw new Error('no shard');
    const changed = await store.replaceShard(first, { ...first.record, snapshotsLost: 3 }, call);
    expect(await store.pollShards(key, 2, call)).toEqual([changed, second]);
    expect(await store.pollShards('0'.repeat(20), 2, call)).toEqual([]);
    const named = [{ key: '0'.repeat(20), shard: 0 }, ...[1, 0].map((shard) => ({ key, shard }))];
    expect(await store.pollShardsNamed(named, call)).toEqual([second, changed]);
  });

  test('that does not exist is undefined', async () => {
    expect(await store.readMigration('0'.repeat(20), call)).toBeUndefined();
    expect(await store.readShard('0'.repeat(20), 0, call)).toBeUndefined();
    expect(await store.findMigrationBySource('nothing-here', call)).toBeUndefined();
  });

  test('changed twice from the same position: the second change is a conflict and changes nothing', async () => {
    const before = await createOne();
    const first = await store.replaceMigration(before, moveRead(before.record, 'FAILING', 5), call);
    const second = store.replaceMigration(before, moveRead(before.record, 'CANCELLING', 6), call);
    await expect(second).rejects.toMatchObject({ kind: 'conflict' });
    expect(await store.readMigration(before.record.key, call)).toEqual(first);
  });

  test('of a shard: the same', async () => {
    const { record } = await createOne();
    const before = await store.readShard(record.key, 0, call);
    if (before === undefined) throw new Error('no shard record');
    const after = beginCopy(before.record, 5);
    await store.replaceShard(before, after, call);
    await expect(store.replaceShard(before, after, call)).rejects.toMatchObject({ kind: 'conflict' });
  });
});

describe('records of shards that are read and written at the same time', () => {
  /** A store whose jobs share their requests, which are listed. */
  function createShared() {
    const sent: string[] = [];
    const listing: OpenSearchClient = {
      ...client,
      send: (what, each) => {
        sent.push(`${what.method} ${what.path}`);
        return client.send(what, each);
      },
    };
    return {
      shared: createStore(gatherRequests(createOpenSearchDocuments(listing), 60_000), Date.now),
      sent,
    };
  }

  test('go in few requests, and each has the outcome it would have by itself', async () => {
    const { shared, sent } = createShared();
    const keys = (await Promise.all(Array.from({ length: 12 }, createOne))).map(({ record }) => record.key);
    const read = await Promise.all(keys.map((key) => shared.readShard(key, 0, call)));
    const befores = read.filter((each) => each !== undefined);
    expect(befores.map(({ record }) => record.key)).toEqual(keys);

    const [stale, ...fresh] = befores;
    if (stale === undefined) throw new Error('no shard record');
    const moved = await store.replaceShard(stale, { ...stale.record, snapshotsLost: 1 }, call);
    const gone = { ...stale, record: { ...stale.record, key: '0'.repeat(20) } };
    const write = (before: typeof stale) =>
      shared.replaceShard(before, { ...before.record, snapshotsLost: 7 }, call);
    const outcomes = await Promise.allSettled([...fresh, stale, gone].map(write));

    const written = outcomes
      .slice(0, 11)
      .map((each) => (each.status === 'fulfilled' ? each.value : undefined));
    expect(await Promise.all(keys.slice(1).map((key) => store.readShard(key, 0, call)))).toEqual(written);
    expect(written.map((each) => each?.record.snapshotsLost)).toEqual(written.map(() => 7));
    for (const lost of outcomes.slice(11))
      expect(lost).toMatchObject({ status: 'rejected', reason: { kind: 'conflict' } });
    expect(await store.readShard(moved.record.key, 0, call)).toEqual(moved);
    const answered = await shared.replaceShard(moved, { ...moved.record, snapshotsLost: 8 }, call);
    expect(await store.readShard(moved.record.key, 0, call)).toEqual(answered);
    expect(sent.length).toBeLessThanOrEqual(5);
  });

  test('keep the reason when the cluster refuses all of them', async () => {
    const { shared } = createShared();
    const before = await shared.readShard((await createOne()).record.key, 0, call);
    if (before === undefined) throw new Error('no shard record');
    const block = (isBlocked: boolean) =>
      request(
        client,
        {
          method: 'PUT',
          path: `/${systemIndex}/_settings`,
          body: JSON.stringify({ 'index.blocks.write': isBlocked }),
        },
        call,
      );
    await block(true);
    try {
      await expect(shared.replaceShard(before, before.record, call)).rejects.toMatchObject({
        kind: 'blocked',
      });
    } finally {
      await block(false);
    }
    await shared.replaceShard(before, before.record, call);
  });
});

describe('starts that compete', () => {
  test('50 at once on one source: exactly one wins, the others learn who', async () => {
    const { source } = names();
    const attempts = await Promise.all(
      Array.from({ length: 50 }, (_, i) => create(source, `${source}-target-${i}`)),
    );
    const winners = attempts.filter(({ outcome }) => outcome.type === 'created');
    expect(winners).toHaveLength(1);
    const holders = attempts.flatMap(({ outcome }) =>
      outcome.type === 'index_in_use' ? [outcome.holder] : [],
    );
    expect(holders).toHaveLength(49);
    expect(new Set(holders.map(({ indexName }) => indexName))).toEqual(new Set([source]));
    expect((await store.findMigrationBySource(source, call))?.record.key).toBe(winners[0]?.migration.key);
  });

  test('50 at once with the very same id: exactly one wins, and keeps its claims', async () => {
    const { source, target } = names();
    const { migration, shards } = createRecords(source, target);
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, () => store.createMigration(migration, shards, call)),
    );
    expect(outcomes.filter(({ type }) => type === 'created')).toHaveLength(1);
    expect((await create(source, `${target}-other`)).outcome.type).toBe('index_in_use');
    expect((await create(`${source}-other`, target)).outcome.type).toBe('index_in_use');
  });

  test('a target that is taken: the source of the loser is free again', async () => {
    const running = await createOne();
    const { source, target } = names();
    const { outcome } = await create(source, running.record.targetIndex);
    expect(outcome).toMatchObject({
      type: 'index_in_use',
      holder: {
        role: 'target',
        indexName: running.record.targetIndex,
        migrationId: running.record.migrationId,
      },
    });
    expect((await create(source, target)).outcome.type).toBe('created');
  });

  test('a source that is the target of a running migration, and the reverse, are taken', async () => {
    const { record } = await createOne();
    const { source, target } = names();
    expect((await create(record.targetIndex, target)).outcome.type).toBe('index_in_use');
    expect((await create(source, record.sourceIndex)).outcome.type).toBe('index_in_use');
    expect((await store.findMigrationUsing(record.targetIndex, call))?.key).toBe(record.key);
  });

  test('a migration whose claims an operator has deleted keeps its indices until it ends', async () => {
    const running = await createOne();
    const { sourceIndex, targetIndex } = running.record;
    await store.releaseClaims(running.record, call);
    const { source, target } = names();
    for (const attempt of [create(targetIndex, target), create(source, sourceIndex)]) {
      expect((await attempt).outcome).toMatchObject({
        type: 'index_in_use',
        holder: { migrationId: running.record.migrationId },
      });
    }
    expect((await store.findMigrationUsing(targetIndex, call))?.key).toBe(running.record.key);
    const failing = await store.replaceMigration(running, moveRead(running.record, 'FAILING', 5), call);
    await store.replaceMigration(failing, moveRead(failing.record, 'FAILED', 6), call);
    expect(await store.findMigrationUsing(targetIndex, call)).toBeUndefined();
    expect((await create(sourceIndex, targetIndex)).outcome.type).toBe('created');
  });

  test('an ended migration gives way, also when it has not released its claims', async () => {
    const running = await createOne();
    const { sourceIndex, targetIndex } = running.record;
    const cancelling = await store.replaceMigration(running, moveRead(running.record, 'CANCELLING', 5), call);
    expect((await create(sourceIndex, targetIndex)).outcome.type).toBe('index_in_use');
    await store.replaceMigration(cancelling, moveRead(cancelling.record, 'CANCELLED', 6), call);
    expect(await store.findMigrationUsing(sourceIndex, call)).toBeUndefined();
    const { migration, outcome } = await create(sourceIndex, targetIndex);
    expect(outcome.type).toBe('created');
    await store.releaseClaims(running.record, call);
    expect((await store.findMigrationUsing(sourceIndex, call))?.key).toBe(migration.key);
  });

  test('an id that was used is not used again', async () => {
    const { source, target } = names();
    const { migration, shards } = createRecords(source, target, { phase: 'CANCELLED' });
    expect((await store.createMigration(migration, shards, call)).type).toBe('created');
    expect((await store.createMigration(migration, shards, call)).type).toBe('id_taken');
    expect((await create(source, target)).outcome.type).toBe('created');
  });
});

describe('a start that dies half way', () => {
  /** Runs on the real index up to the migration record, and is then as good as dead until `wakeUp`. */
  function createSleeper(now: () => number) {
    let wakeUp = (): void => undefined;
    const asleep = new Promise<void>((resolve) => (wakeUp = resolve));
    let fellAsleep = (): void => undefined;
    const sleeping = new Promise<void>((resolve) => (fellAsleep = resolve));
    const sleepy: DocumentIndex = {
      ...documents,
      create: async (id, ...rest) => {
        if (isMigrationId(id)) {
          fellAsleep();
          await asleep;
        }
        return documents.create(id, ...rest);
      },
    };
    return { store: createStore(sleepy, now), sleeping, wakeUp: () => wakeUp() };
  }

  test('younger than a minute: its claims hold', async () => {
    const { source, target } = names();
    const sleeper = createSleeper(Date.now);
    const start = create(source, target, sleeper.store);
    await sleeper.sleeping;
    expect((await create(source, `${target}-2`)).outcome.type).toBe('index_in_use');
    sleeper.wakeUp();
    expect((await start).outcome.type).toBe('created');
  });

  test('older: another start takes its claims over, and when it wakes up it can not start any more', async () => {
    const { source, target } = names();
    const sleeper = createSleeper(() => Date.now() - orphanAgeMs);
    const { migration, shards } = createRecords(source, target);
    const late = sleeper.store.createMigration(migration, shards, call);
    await sleeper.sleeping;
    const { outcome, migration: winner } = await create(source, target);
    expect(outcome.type).toBe('created');
    sleeper.wakeUp();
    await expect(late).rejects.toMatchObject({ kind: 'conflict' });
    expect(await store.readMigration(migration.key, call)).toBeUndefined();
    expect((await store.findMigrationUsing(source, call))?.key).toBe(winner.key);
    expect((await store.findMigrationUsing(target, call))?.key).toBe(winner.key);
  });

  test('the answer to the last write is lost, the write was not: it is a start', async () => {
    const { source, target } = names();
    const deaf: DocumentIndex = {
      ...documents,
      create: async (id, ...rest) => {
        const position = await documents.create(id, ...rest);
        if (isMigrationId(id)) throw transient();
        return position;
      },
    };
    const { migration, outcome } = await create(source, target, createStore(deaf, Date.now));
    expect(outcome.type).toBe('created');
    expect((await store.findMigrationBySource(source, call))?.record).toEqual(migration);
  });

  test('the answers to the last write and to the second look are lost: its claims hold', async () => {
    const { source, target } = names();
    const deaf: DocumentIndex = {
      ...documents,
      create: async (id, ...rest) => {
        const outcome = documents.create(id, ...rest);
        if (!isMigrationId(id)) return outcome;
        await outcome.catch(() => undefined);
        throw transient();
      },
    };
    await expect(create(source, target, createStore(deaf, Date.now))).rejects.toMatchObject({
      kind: 'transient',
    });
    expect((await store.findMigrationUsing(target, call))?.sourceIndex).toBe(source);
    const muchLater = createStore(documents, () => Date.now() + 10 * orphanAgeMs);
    expect((await create(source, `${target}-2`, muchLater)).outcome.type).toBe('index_in_use');
    expect((await create(`${source}-2`, target, muchLater)).outcome.type).toBe('index_in_use');
  });

  test('the last write is lost: nothing was started, it can not start later, and both indices are free', async () => {
    const { source, target } = names();
    let lost: (() => Promise<unknown>) | undefined;
    const lossy: DocumentIndex = {
      ...documents,
      create: (id, ...rest) => {
        if (!isMigrationId(id) || lost !== undefined) return documents.create(id, ...rest);
        lost = () => documents.create(id, ...rest);
        return Promise.reject(transient());
      },
    };
    await expect(create(source, target, createStore(lossy, Date.now))).rejects.toMatchObject({
      kind: 'transient',
    });
    expect(await store.findMigrationBySource(source, call)).toBeUndefined();
    await expect(lost?.()).rejects.toMatchObject({ kind: 'conflict' });
    expect((await create(source, target)).outcome.type).toBe('created');
  });
});

describe('searches', () => {
  test('the newest migration of a source is found when none runs', async () => {
    const { source, target } = names();
    for (const startTimeMillis of [1_000, 3_000, 2_000]) {
      const { migration, shards } = createRecords(source, target, { startTimeMillis, phase: 'CANCELLED' });
      await store.createMigration(migration, shards, call);
      await store.releaseClaims(migration, call);
    }
    const newest = await store.findMigrationBySource(source, call);
    expect(newest?.record.startTimeMillis).toBe(3_000);
  });

  test('what runs or is guarded is active at once, what has ended is not', async () => {
    const running = await createOne();
    const failing = await store.replaceMigration(running, moveRead(running.record, 'FAILING', 5), call);
    const failed = moveRead(failing.record, 'FAILED', 6);
    const keys = async () => (await store.listActive(call)).map(({ record }) => record.key);
    const { key, sourceIndex, sourceShardCount } = running.record;
    const findRunning = async () => (await store.listRunning(call)).find((each) => each.key === key);
    expect(await keys()).toContain(key);
    expect(await findRunning()).toMatchObject({ key, sourceIndex, sourceShardCount });
    const guarded = await store.replaceMigration(
      failing,
      { ...failed, guardUntilMillis: Date.now() + 600_000 },
      call,
    );
    expect(await keys()).toContain(key);
    expect(await findRunning()).toBeUndefined();
    await store.replaceMigration(guarded, { ...failed, guardUntilMillis: 1 }, call);
    expect(await keys()).not.toContain(key);
  });

  test('older ended migrations that are guarded leave the bound to those that run', async () => {
    const { source, target } = names();
    const ended = { startTimeMillis: 1, phase: 'CANCELLED', guardUntilMillis: Date.now() + 600_000 } as const;
    const { migration, shards } = createRecords(source, target, ended);
    await store.createMigration(migration, shards, call);
    await createOne();
    await requestJson(client, { method: 'POST', path: `/${systemIndex}/_refresh` }, () => undefined, call);
    const running = (await store.listRunning(call)).map(({ key }) => key);
    const listUpTo = async (size: number) => {
      const bounded = { ...documents, search: (body: object) => documents.search({ ...body, size }, call) };
      return (await createStore(bounded, Date.now).listActive(call)).map(({ record }) => record.key);
    };
    expect(await listUpTo(running.length)).toEqual(running);
    expect(await listUpTo(1_000)).toContain(migration.key);
  });

  test('a list is filtered, newest first, counts shards, and says when it is cut', async () => {
    const first = await createOne();
    const second = await createOne();
    await requestJson(client, { method: 'POST', path: `/${systemIndex}/_refresh` }, () => undefined, call);
    const all = await store.listMigrations({ size: 500 }, call);
    const times = all.migrations.map(({ startTimeMillis }) => startTimeMillis);
    expect(times).toEqual([...times].sort((a, b) => b - a));
    expect(all.truncated).toBe(false);
    expect(all.activeCount).toBe(all.migrations.filter(({ phase }) => !isTerminalPhase(phase)).length);
    for (const { record } of [first, second]) {
      expect(all.shardPhases.get(record.key)).toEqual({ PENDING: 2 });
    }
    const active = await store.listMigrations({ phases: ['ACTIVE'], size: 1 }, call);
    expect(active.migrations).toHaveLength(1);
    expect(active.truncated).toBe(true);
    expect(active.activeCount).toBe(all.activeCount);
  });

  test('a list leaves out a record of a later version, and shows the others', async () => {
    const own = await createOne();
    const later = await createOne();
    const id = documentIds.migration(later.record.key);
    const before = await documents.get(id, call);
    if (before === undefined) throw new Error('no record');
    const body = migrationCodec.write(later.record);
    const written = await documents.replace(id, before, { ...body, schema_version: 999 }, false, call);
    await requestJson(client, { method: 'POST', path: `/${systemIndex}/_refresh` }, () => undefined, call);
    const { migrations } = await store.listMigrations({ size: 500 }, call);
    const keys = migrations.map(({ key }) => key);
    expect(keys).toContain(own.record.key);
    expect(keys).not.toContain(later.record.key);
    await documents.replace(id, written, body, false, call);
  });
});

test('settings are written once from nothing, then by compare-and-set', async () => {
  const known = await documents.get(documentIds.settings, call);
  if (known !== undefined) await documents.remove(documentIds.settings, known, call);
  const record = (persistent: Record<string, string>) =>
    ({ kind: 'settings', schemaVersion: 1, persistent, transient: {} }) as const;
  expect(await store.readSettings(call)).toBeUndefined();
  const first = await store.replaceSettings(undefined, record({ 'aosc.a.b_c': '1' }), call);
  expect(await store.readSettings(call)).toEqual(first);
  const again = store.replaceSettings(undefined, record({}), call);
  await expect(again).rejects.toMatchObject({ kind: 'conflict' });
  await store.replaceSettings(first, record({ 'aosc.a.b_c': '2' }), call);
  await expect(store.replaceSettings(first, record({}), call)).rejects.toMatchObject({ kind: 'conflict' });
  expect((await store.readSettings(call))?.record.persistent).toEqual({ 'aosc.a.b_c': '2' });
});
