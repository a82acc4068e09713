import { ClusterError } from '@aosc/engine';
import { createTargetIndex } from '@aosc/testkit';
import { borrowCluster, type Cluster } from './support/cluster';
import { createHarness, type Harness } from './support/harness';
import { createPair, routingShards, someDocuments, someSource } from './support/pairs';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

const call = { signal: new AbortController().signal };
const timing = { guardMs: 600_000 };

const blockOf = ({ source }: Harness) => cluster.ports.index(source).settings.readWriteBlock(call);
const write = ({ alias }: Harness, id: string) => cluster.put(alias, { id }, someSource(id));
/** What the scheduler of the ended migration has asked for arrives now. */
const landBlock = ({ source }: Harness) => cluster.ports.index(source).settings.blockWrites(call);

/** A migration that was cancelled while its write block was on its way, and the next one of the same source. */
async function startNextOfSameSource(): Promise<{ ended: Harness; next: Harness }> {
  const ended = await createPair(cluster, { shards: [1, 2], documents: someDocuments(60), timing });
  const dying = ended.runUntil('COMPLETED', {
    source: {
      settings: () => ({
        blockWrites: () => Promise.reject(new ClusterError('transient', 'the block is on its way')),
      }),
    },
  });
  await expect(dying).rejects.toThrow('the block is on its way');
  await ended.cancel();
  expect(await ended.runUntil('CANCELLED')).toMatchObject({ phase: 'CANCELLED' });
  const { source, alias } = ended;
  const target = cluster.name('target');
  await createTargetIndex(cluster.http, { name: target, shards: 2, routingShards });
  return { ended, next: await createHarness(cluster, { source, target, alias, timing }) };
}

describe('a block that lands after its migration was cancelled and the source is migrated again', () => {
  test('is lifted while that one copies', async () => {
    const { ended, next } = await startNextOfSameSource();
    await next.backfill();
    await landBlock(ended);
    await ended.advance();
    expect(ended.events).toContain('write_block_late');
    expect(await blockOf(next)).toBe('none');
    await write(next, 'during-the-copy');
    expect(await next.runUntil('COMPLETED')).toMatchObject({ writeBlock: { usersOwn: false } });
    await next.expectExact();
  });

  test('is not taken for the one of the user when that one comes to its own block first', async () => {
    const { ended, next } = await startNextOfSameSource();
    await landBlock(ended);
    const { writeBlock } = await next.runUntil('CATCHING_UP');
    expect(writeBlock).toMatchObject({ usersOwn: false });
    expect(writeBlock).not.toHaveProperty('original');
    await next.cancel();
    await next.runUntil('CANCELLED');
    expect(await blockOf(next)).toBe('none');
  });

  test('is left to that one when it blocks the source between two calls of the guard', async () => {
    const { ended, next } = await startNextOfSameSource();
    await landBlock(ended);
    let isFirst = true;
    await ended.advance({
      source: {
        settings: (real) => ({
          async readWriteBlock(...args) {
            const state = await real.readWriteBlock(...args);
            if (isFirst) await next.runUntil('CATCHING_UP');
            isFirst = false;
            return state;
          },
        }),
      },
    });
    expect(await blockOf(next)).toBe('set');
    expect(await next.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
    await next.expectExact();
  });
});

test('the block of the next migration stays, also when that one has ended with it', async () => {
  const { ended, next } = await startNextOfSameSource();
  await next.runUntil('CATCHING_UP');
  await ended.advance();
  expect(await blockOf(next)).toBe('set');
  expect(await next.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  await ended.advance();
  expect(await blockOf(next)).toBe('set');
  expect(ended.events).not.toContain('write_block_late');
});

test('a block that comes when no request can be late any more stays, though the guard of the ended migration goes on', async () => {
  const { ended } = await startNextOfSameSource();
  const stored = await cluster.store.readMigration(ended.key, call);
  if (stored === undefined) throw new Error('the migration is not in the store');
  const guardUntilMillis = Date.now() + 3 * timing.guardMs;
  await cluster.store.replaceMigration(stored, { ...stored.record, guardUntilMillis }, call);
  ended.passTime(timing.guardMs + 1000);
  await landBlock(ended);
  await ended.advance();
  expect(await blockOf(ended)).toBe('set');
  expect(ended.events).not.toContain('write_block_late');
});
