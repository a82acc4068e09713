import { borrowCluster, type Cluster } from '../races/support/cluster';
import type { Faults } from '../races/support/faults';
import type { Harness } from '../races/support/harness';
import { createPair, type PairOptions, someDocuments, someSource } from '../races/support/pairs';
import { expectNothingLeft, expectSwapped, guarded } from './support/ends';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

const pair: PairOptions = { ...guarded, shards: [1, 2], documents: someDocuments(60) };
const call = { signal: new AbortController().signal };

const maxLooks = 20;

const hasCompleted = async (harness: Harness) => (await harness.record()).phase === 'COMPLETED';

const close = ({ source }: Harness) => cluster.send('POST', `/${source}/_close?wait_for_active_shards=all`);
const open = ({ source }: Harness) => cluster.send('POST', `/${source}/_open?wait_for_active_shards=all`);

/** Something is done right after the alias has moved. */
const afterSwap = (harness: Harness, act: () => Promise<unknown>): Faults => ({
  aliases: (real) => ({
    async update(actions, options) {
      const update = await real.update(actions, options);
      const swaps = actions.some((action) => 'add' in action && action.add.alias === harness.alias);
      if (swaps) await act();
      return update;
    },
  }),
});

test('shards hand themselves back with their last rounds, and end after the swap without their workers', async () => {
  const harness = await createPair(cluster, pair);
  await harness.runUntil('CATCHING_UP');
  expect(await harness.job('catch_up', 0)).toEqual({ type: 'done' });
  const shard = await harness.shard(0);
  expect(shard).toMatchObject({ phase: 'COMPLETING' });
  expect(shard.writer.owner).toBeUndefined();
  expect(shard.snapshot).toBeDefined();
  for (let pass = 0; pass < maxLooks && !(await hasCompleted(harness)); pass++) await harness.advance();
  expect((await harness.shard(0)).phase).toBe('COMPLETED');
  await expectSwapped(cluster, harness);
});

test('a snapshot on a node that does not answer holds the end up for no longer than a few seconds', async () => {
  const harness = await createPair(cluster, pair);
  await harness.runUntil('CATCHING_UP');
  await harness.job('catch_up', 0);
  const asked: string[] = [];
  const silent: Faults = {
    source: {
      snapshots: () => ({
        close(pitIds) {
          asked.push(...pitIds);
          return Promise.resolve(pitIds);
        },
      }),
    },
  };
  await harness.advance(silent);
  for (let pass = 0; pass < maxLooks && !(await hasCompleted(harness)); pass++) await harness.advance(silent);
  const { phase, lateCloses = [] } = await harness.shard(0);
  expect(phase).toBe('COMPLETED');
  // The guard goes on trying.
  expect(lateCloses.map(({ pitId }) => pitId).toSorted()).toEqual([...new Set(asked)].toSorted());
  await harness.advance();
  await expectSwapped(cluster, harness);
});

test('a shard that a worker of an earlier version holds is waited for, but not for ever', async () => {
  const harness = await createPair(cluster, pair);
  await harness.runUntil('CATCHING_UP');
  await harness.job('catch_up', 0);
  const [stored] = await cluster.store.readShards(harness.key, 1, call);
  if (stored === undefined) throw new Error('the shard is not in the store');
  const writer = { ...stored.record.writer, owner: 'before', process: 'before', claimedAtMillis: Date.now() };
  await cluster.store.replaceShard(stored, { ...stored.record, writer }, call);
  await harness.advance();
  expect(await harness.record()).toMatchObject({ phase: 'COMPLETING', committed: true });
  expect((await harness.shard(0)).phase).toBe('COMPLETING');
  harness.passTime(15_000);
  for (let pass = 0; pass < maxLooks && !(await hasCompleted(harness)); pass++) await harness.advance();
  expect((await harness.shard(0)).phase).toBe('COMPLETED');
  await expectSwapped(cluster, harness);
});

test.each([true, false])(
  'a source that is closed right after the swap holds nothing up (the block is to be removed: %s)',
  async (removeSourceWriteBlockOnSuccess) => {
    const harness = await createPair(cluster, { ...pair, options: { removeSourceWriteBlockOnSuccess } });
    const end = await harness.runUntil(
      'COMPLETED',
      afterSwap(harness, () => close(harness)),
    );
    expect(end).toMatchObject({ phase: 'COMPLETED' });
    expect(end.waits).toEqual([]);
    await expectNothingLeft(cluster, harness, !removeSourceWriteBlockOnSuccess);
    await open(harness);
    expect(await cluster.ports.index(harness.source).settings.readWriteBlock(call)).toBe(
      removeSourceWriteBlockOnSuccess ? 'none' : 'set',
    );
    await harness.expectExact();
  },
);

test('a source that is closed under the write block fails the migration, and takes writes when it is opened', async () => {
  const harness = await createPair(cluster, pair);
  await harness.runUntil('CATCHING_UP');
  await close(harness);
  expect(await harness.runUntil('FAILED')).toMatchObject({ phase: 'FAILED' });
  await open(harness);
  await cluster.put(harness.alias, { id: 'after' }, someSource('after'));
  await expectNothingLeft(cluster, harness, false);
});
