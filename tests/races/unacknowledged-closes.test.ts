import type { Faults } from './support/faults';
import { someDocuments } from './support/pairs';
import { killPrimaryUnderLook, reachUnacknowledged, startStalledPair } from './support/stalled-pair';
import { type StalledReplication, startStalledReplication } from './support/stalled-replication';

jest.setTimeout(600_000);

let stalled: StalledReplication;
beforeAll(async () => {
  stalled = await startStalledReplication();
});
afterEach(() => stalled.heal());
afterAll(() => stalled.stop());

/**
 * One shard's last round is over, as only the primary of the records shows; the other shard's goes on. After some seconds of
 * waiting the scheduler closes what the early shard holds. Its primary dies, and the round is had again: from the two snapshots,
 * which must be there. Without them the shard is copied and compared under the write block.
 */
test('what a last round has read from stays open until its end is there to stay', async () => {
  const { cluster } = stalled;
  const documents = someDocuments(40);
  const harness = await startStalledPair(stalled, { shards: [2, 2], documents });
  await harness.backfill();
  await harness.round();
  // What the last rounds bring, in both shards.
  const beforeBlock: Faults = {
    source: {
      settings: (real) => ({
        async blockWrites(...given) {
          for (const { id } of documents)
            await cluster.put(harness.source, { id }, '{"by":"before the block"}');
          return real.blockWrites(...given);
        },
      }),
    },
  };
  expect((await harness.runUntil('CATCHING_UP', beforeBlock)).phase).toBe('CATCHING_UP');

  await reachUnacknowledged(stalled, harness, 'catch_up', 'COMPLETING');

  harness.passTime(3500);
  await killPrimaryUnderLook(stalled, harness, () => false);

  expect((await harness.shard(0)).phase).toBe('CATCHING_UP');
  await harness.job('catch_up', 0, { takeOver: true });
  expect(harness.events).not.toContain('snapshot_lost');
  expect((await harness.runUntil('COMPLETED')).phase).toBe('COMPLETED');
  await harness.expectExact();
});
