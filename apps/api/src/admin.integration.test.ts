import { randomUUID } from 'node:crypto';
import type { Snapshot } from '@aosc/contract';
import { moveMigration } from '@aosc/domain';
import { borrowStack, moveRead } from '@aosc/testkit';
import type { Stack } from '@aosc/local-stack';
import { migrationKey } from '@aosc/store';
import { type ApiUnderTest, errorLike, startApi } from './__tests__/api-under-test';

jest.setTimeout(600_000);

let stack: Stack | undefined;
let aosc: ApiUnderTest;
const prefix = `a-${randomUUID()}`;
const admin = '/_plugins/_aosc/_admin';

beforeAll(async () => {
  stack = await borrowStack();
  aosc = await startApi({ openSearch: stack.openSearchUrls.join(','), redis: stack.redisUrl });
  await aosc.store.ensureIndex(aosc.call);
});
afterAll(async () => {
  if (stack !== undefined) {
    await aosc.cluster('DELETE', `/${prefix}-*?expand_wildcards=all`);
    await aosc.forgetMigrations();
    await aosc.close();
  }
  await stack?.stop();
});

/** A migration that has just been started; no scheduler runs. */
async function startMigration(name: string) {
  const source = `${prefix}-${name}-s`;
  const target = `${prefix}-${name}-t`;
  const settings = { number_of_shards: 1, number_of_replicas: 0 };
  await aosc.cluster('PUT', `/${source}`, { settings, aliases: { [`${prefix}-${name}`]: {} } });
  await aosc.cluster('PUT', `/${target}`, { settings });
  const start = () =>
    aosc.api('POST', `/_plugins/_aosc/${source}/_start`, {
      target_index: target,
      alias: `${prefix}-${name}`,
    });
  const started = await start();
  expect(started.status).toBe(200);
  const { migration_id: id } = started.body as { migration_id: string };
  return { source, target, id, key: migrationKey(id), start };
}

async function readMigration(key: string) {
  const stored = await aosc.store.readMigration(key, aosc.call);
  if (stored === undefined) throw new Error('the record is gone');
  return stored;
}

/** Opens a point in time and writes it into the record of shard 0, as its worker would. */
async function holdLease(key: string, source: string): Promise<void> {
  const path = `/${source}/_search/point_in_time?keep_alive=5m`;
  const { pit_id: pitId } = (await aosc.cluster('POST', path)) as { pit_id: string };
  const snapshot: Snapshot = {
    pitId,
    nodeId: 'n',
    allocationId: 'a',
    primaryTerm: 1,
    indexUuid: 'i',
    historyUuid: 'h',
    checkpoint: 5,
    maxSeqNo: 5,
    seenMaxSeqNo: 5,
    documentCount: 0,
    openedAtMillis: Date.now(),
  };
  const stored = await aosc.store.readShard(key, 0, aosc.call);
  if (stored === undefined) throw new Error('the shard record is gone');
  await aosc.store.replaceShard(stored, { ...stored.record, snapshot }, aosc.call);
}

async function countOpenPits(): Promise<number> {
  const path = '/_nodes/stats/indices/search';
  const { nodes } = (await aosc.cluster('GET', path)) as {
    nodes: Record<string, { indices: { search: { point_in_time_current: number } } }>;
  };
  return Object.values(nodes).reduce((sum, node) => sum + node.indices.search.point_in_time_current, 0);
}

test.each([
  ['_cleanup_leases?index=', '[index] query parameter must not be empty'],
  ['_cleanup_leases?dry_run=perhaps', 'Failed to parse value [perhaps] of parameter [dry_run]'],
  ['_clear_state?migration_id=', 'migration_id must not be empty'],
  ['_clear_state?dryrun=false', 'unrecognized parameter: [dryrun] -> did you mean [dry_run]?'],
])('%s is refused', async (path, phrase) => {
  expect(await aosc.api('POST', `${admin}/${path}`)).toEqual(
    errorLike(400, 'illegal_argument_exception', phrase),
  );
});

test('what nobody knows is an empty answer', async () => {
  expect(await aosc.api('POST', `${admin}/_cleanup_leases?index=nobody&dry_run=false`)).toEqual({
    status: 200,
    body: { dry_run: false, leases: [], released: 0, failed: 0, truncated: false },
  });
  expect(await aosc.api('POST', `${admin}/_clear_state?migration_id=nobody&dry_run=false`)).toEqual({
    status: 200,
    body: { dry_run: false, try_close: true, migrations: {} },
  });
});

test('leases: listed, kept while the migration runs, closed on demand or after its end', async () => {
  const { source, id, key } = await startMigration('lease');
  await holdLease(key, source);
  const row = {
    index: source,
    shard: 0,
    lease_id: `aosc-migration-${id}-0`,
    source: 'aosc-migration',
    retaining_seq_no: 5,
  };
  const cleanup = (query: string) => aosc.api('POST', `${admin}/_cleanup_leases?index=${source}${query}`);

  expect((await cleanup('')).body).toEqual({
    dry_run: true,
    leases: [{ ...row, released: false, error: expect.stringContaining('is ACTIVE and needs it') as string }],
    released: 0,
    failed: 0,
    truncated: false,
  });
  expect((await cleanup('&dry_run=false')).body).toMatchObject({
    leases: [{ ...row, released: false, error: expect.stringContaining('is ACTIVE and needs it') as string }],
    released: 0,
    failed: 1,
  });
  const open = await countOpenPits();
  expect((await cleanup('&dry_run=false&include_active=true')).body).toMatchObject({
    leases: [{ ...row, released: true }],
    released: 1,
    failed: 0,
  });
  expect(await countOpenPits()).toBe(open - 1);

  const stored = await readMigration(key);
  const cancelling = moveRead(stored.record, 'CANCELLING', Date.now());
  await aosc.store.replaceMigration(stored, moveMigration(cancelling, 'CANCELLED', Date.now()), aosc.call);
  expect((await cleanup('&dry_run=false')).body).toMatchObject({ released: 1, failed: 0 });
  expect((await cleanup('')).body).toMatchObject({ leases: [] });
});

test('a stuck cutover: a dry run changes nothing, a real one ends it and gives the indices back', async () => {
  const { source, target, id, key, start } = await startMigration('stuck');
  await holdLease(key, source);
  await aosc.cluster('PUT', `/${source}/_block/write`);
  await aosc.cluster('PUT', `/${target}/_settings`, { 'index.refresh_interval': '-1' });
  const stored = await readMigration(key);
  const record = {
    ...stored.record,
    phase: 'CUTTING_OVER',
    targetOriginals: { 'index.refresh_interval': null },
    writeBlock: { requestedAtMillis: Date.now(), usersOwn: false, confirmed: true, lifted: false },
  } as const;
  await aosc.store.replaceMigration(stored, record, aosc.call);
  const clear = (query: string) => aosc.api('POST', `${admin}/_clear_state?migration_id=${id}${query}`);

  const row = { source_index: source, phase: 'CUTTING_OVER', closed: false };
  const wouldClear = { cluster_state: 'would_clear', active_migrations: 'would_clear' };
  expect((await clear('&detailed=true')).body).toMatchObject({
    dry_run: true,
    try_close: true,
    migrations: { [id]: { ...row, ...wouldClear, entry: { migration_id: id, shards: { '0': {} } } } },
  });
  expect(await readMigration(key)).toMatchObject({ record });

  expect((await clear('&dry_run=false')).body).toEqual({
    dry_run: false,
    try_close: true,
    migrations: {
      [id]: {
        source_index: source,
        phase: 'CANCELLED',
        cluster_state: 'cleared',
        active_migrations: 'cleared',
        closed: true,
      },
    },
  });
  expect((await aosc.api('GET', `/_plugins/_aosc/${source}/_status`)).body).toMatchObject({
    phase: 'CANCELLED',
    error_message: 'cleared by an administrator (_clear_state)',
    shards: { '0': { phase: 'CANCELLED', meta: {} } },
  });
  await aosc.cluster('PUT', `/${source}/_doc/1`, { title: 'the source takes writes' });
  const settings = await aosc.cluster('GET', `/${target}/_settings?flat_settings=true`);
  expect(settings).not.toHaveProperty([target, 'settings', 'index.refresh_interval']);
  const again = await aosc.api('POST', `${admin}/_clear_state`);
  expect(again.body).not.toHaveProperty(['migrations', id]);
  expect((await start()).status).toBe(200);
});

test('try_close=false and undo=false: ended, and nothing put back', async () => {
  const { source, id, key, start } = await startMigration('forced');
  await aosc.cluster('PUT', `/${source}/_settings`, { 'index.blocks.write': true });
  const stored = await readMigration(key);
  const writeBlock = { requestedAtMillis: Date.now(), usersOwn: false, confirmed: true, lifted: false };
  await aosc.store.replaceMigration(
    stored,
    { ...stored.record, phase: 'CUTTING_OVER', writeBlock },
    aosc.call,
  );
  const path = `${admin}/_clear_state?dry_run=false&try_close=false&undo=false&migration_id=${id}`;
  expect((await aosc.api('POST', path)).body).toMatchObject({
    try_close: false,
    migrations: {
      [id]: { phase: 'CANCELLED', cluster_state: 'cleared', active_migrations: 'not_found', closed: false },
    },
  });
  const settings = await aosc.cluster('GET', `/${source}/_settings?flat_settings=true`);
  expect(settings).toHaveProperty([source, 'settings', 'index.blocks.write'], 'true');
  expect((await start()).status).toBe(200);
});
