import type { MigrationRecord } from '@aosc/contract';
import { newShardRecord } from '@aosc/domain';
import { ClusterError } from '@aosc/engine';
import { createMigration } from '../__tests__/create-migration';
import { findStandstill, readStatus } from './read-status';

const call = { signal: new AbortController().signal };
const migration = createMigration({ phase: 'ACTIVE', lastUpdatedMillis: 1000 });
const blocked = ['[cluster read-only (api)] of the cluster'];

const look = (nowMillis: number, blocks: () => Promise<readonly string[]>, beatMillis = 0) => {
  const shard = newShardRecord(migration.key, 0, 0);
  const beaten = { ...shard, writer: { ...shard.writer, heartbeatAtMillis: beatMillis } };
  return findStandstill({ findWriteBlocks: blocks, now: () => nowMillis }, migration, [beaten], call);
};
const unasked = () => Promise.reject(new Error('the cluster was asked'));

test('a migration of which nothing was written for a while, below a block, says so', async () => {
  const text = await look(11_000, () => Promise.resolve(blocked));
  expect(text).toContain("can't write its records: [cluster read-only (api)] of the cluster keeps it");
});

test('without a block, or where nothing tells of one, there is nothing to say', async () => {
  expect(await look(11_000, () => Promise.resolve([]))).toBeUndefined();
  const away = () => Promise.reject(new ClusterError('transient', 'no answer'));
  expect(await look(11_000, away)).toBeUndefined();
});

test('one that goes on is not asked about', async () => {
  expect(await look(10_999, unasked)).toBeUndefined();
  expect(await look(100_000, unasked, 95_000)).toBeUndefined();
});

test('nor is one that has ended', async () => {
  const deps = { findWriteBlocks: unasked, now: () => 100_000 };
  const ended = createMigration({ phase: 'COMPLETED', lastUpdatedMillis: 1000 });
  expect(await findStandstill(deps, ended, [], call)).toBeUndefined();
});

test('the status shows it, with another tag than without', async () => {
  let blocks = blocked;
  const deps = {
    store: {
      pollShards: () => Promise.resolve([]),
    },
    findWriteBlocks: () => Promise.resolve(blocks),
    now: () => 100_000,
  } as unknown as Parameters<typeof readStatus>[0];
  const stored = { record: migration, seqNo: 1, primaryTerm: 1 };
  const during = (await readStatus(deps, stored, call))(undefined);
  expect(JSON.parse(during.text())).toMatchObject({
    error_message: expect.stringContaining("can't write its records") as string,
    meta: { obstacle: expect.stringContaining('Take the block away') as string },
  });
  blocks = [];
  const after = (await readStatus(deps, stored, call))(undefined);
  expect(JSON.parse(after.text())).not.toHaveProperty('error_message');
  expect(after.etag).not.toBe(during.etag);
});

test('the time of the last update goes on with the clock, under the same tag, until the end', async () => {
  let millis = 5000;
  const deps = {
    store: {
      pollShards: () => Promise.resolve([]),
      readTimeline: () => Promise.resolve(undefined),
    },
    findWriteBlocks: unasked,
    now: () => millis,
  } as unknown as Parameters<typeof readStatus>[0];
  const read = async (record: MigrationRecord) => {
    const { etag, text } = (await readStatus(deps, { record, seqNo: 1, primaryTerm: 1 }, call))(undefined);
    const { last_updated_millis: at } = JSON.parse(text()) as { last_updated_millis: number };
    return { etag, at };
  };
  const first = await read(migration);
  millis = 6000;
  expect([first, await read(migration)]).toEqual([
    { etag: first.etag, at: 5000 },
    { etag: first.etag, at: 6000 },
  ]);
  const transitionHistory = [{ phase: 'COMPLETED', startTimeMillis: 900 }] as const;
  expect((await read({ ...migration, phase: 'COMPLETED', transitionHistory })).at).toBe(900);
});
