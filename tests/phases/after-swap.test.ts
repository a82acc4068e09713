import { type Cluster, startCluster } from '../races/support/cluster';
import type { Faults } from '../races/support/faults';
import type { Harness } from '../races/support/harness';
import { createPair, type PairOptions, someDocuments, someSource } from '../races/support/pairs';
import { expectNothingLeft, expectSwapped, guarded } from './support/ends';
import { beforeClosing, holdJob } from './support/held-jobs';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());

const pair: PairOptions = { ...guarded, shards: [1, 2], documents: someDocuments(60) };
const call = { signal: new AbortController().signal };

/** Beats come once a second, and a look takes less. */
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

test('without a worker that closes its snapshots a migration completes all the same', async () => {
  const harness = await createPair(cluster, pair);
  await harness.runUntil('CATCHING_UP');
  const wake = await holdJob(harness, 'catch_up', beforeClosing);
  await harness.advance();
  expect(await harness.record()).toMatchObject({ phase: 'COMPLETING', committed: true });
  // A worker has time for that.
  await harness.advance();
  expect((await harness.shard(0)).phase).toBe('COMPLETING');
  harness.passTime(15_000);
  // A beat of the held job that comes between the scheduler's look at the record and its change makes it look again.
  for (let pass = 0; pass < maxLooks && !(await hasCompleted(harness)); pass++) await harness.advance();
  expect((await harness.shard(0)).phase).toBe('COMPLETED');
  expect(await harness.record()).toMatchObject({ phase: 'COMPLETED' });
  await expectSwapped(cluster, harness);
  await wake();
  expect((await harness.shard(0)).phase).toBe('COMPLETED');
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
