import { timeLimit } from '@aosc/signals';
import { borrowCluster, type Cluster } from './support/cluster';
import { type Faults, once } from './support/faults';
import type { Harness } from './support/harness';
import { createPair, someDocuments, someSource } from './support/pairs';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

/** Deletes a document of the source right before this call reaches the cluster. */
function deleteBefore(step: 'refreshCopy' | 'open', harness: Harness, id: string): Faults {
  const strike = once(() => cluster.remove(harness.source, { id }));
  return {
    source: {
      snapshots: (real) =>
        step === 'refreshCopy'
          ? { refreshCopy: (...args) => strike().then(() => real.refreshCopy(...args)) }
          : { open: (...args) => strike().then(() => real.open(...args)) },
    },
  };
}

describe('a delete that falls between the steps of opening a snapshot is replayed', () => {
  test.each(['refreshCopy', 'open'] as const)('right before %s of the backfill', async (step) => {
    const harness = await createPair(cluster, { shards: [1, 1] });
    await harness.backfill(deleteBefore(step, harness, 'd7'));
    await harness.round();
    await harness.expectExact();
  });

  test.each(['refreshCopy', 'open'] as const)('right before %s of a round', async (step) => {
    const harness = await createPair(cluster, { shards: [1, 1] });
    await harness.backfill();
    // The only operation there is, so nothing else can give it away.
    await harness.round(deleteBefore(step, harness, 'd7'));
    await harness.round();
    await harness.expectExact();
  });

  test('right before the write block', async () => {
    const harness = await createPair(cluster, { shards: [2, 4] });
    const strike = once(() => cluster.remove(harness.source, { id: 'd7' }));
    const end = await harness.runUntil('COMPLETED', {
      source: {
        settings: (real) => ({
          blockWrites: async (...args) => {
            await strike();
            return real.blockWrites(...args);
          },
        }),
      },
    });
    expect(end).toMatchObject({ phase: 'COMPLETED' });
    await harness.expectExact();
  });
});

describe('a source with `translog.durability: async`', () => {
  /** Nothing is synced by itself while the test runs: checkpoints stay where they were. */
  const sourceSettings = { 'index.translog.durability': 'async', 'index.translog.sync_interval': '1h' };

  test('converges and is exact, although its checkpoints stay behind', async () => {
    const harness = await createPair(cluster, {
      shards: [2, 4],
      documents: someDocuments(300),
      sourceSettings,
      options: { convergenceThresholdPerShard: 10 },
    });
    const call = { signal: timeLimit(30_000) };
    const positions = await cluster.ports.index(harness.source).state.readCheckpoints(call);
    for (const { globalCheckpoint, maxSeqNo } of positions) expect(globalCheckpoint).toBeLessThan(maxSeqNo);

    await harness.backfill();
    const ids = Array.from({ length: 90 }, (_, n) => `d${n}`);
    await Promise.all(ids.slice(0, 60).map((id) => cluster.put(harness.alias, { id }, someSource(id))));
    await Promise.all(ids.slice(30).map((id) => cluster.remove(harness.alias, { id })));
    await harness.round();
    await harness.expectExact();
    expect((await harness.shards()).map(({ phase }) => phase)).toEqual(['CONVERGED', 'CONVERGED']);

    const strike = once(async () => {
      await cluster.put(harness.alias, { id: 'last' }, someSource('last'));
      await cluster.remove(harness.alias, { id: 'd100' });
    });
    const end = await harness.runUntil('COMPLETED', {
      source: {
        settings: (real) => ({
          blockWrites: async (...args) => {
            await strike();
            return real.blockWrites(...args);
          },
        }),
      },
    });
    expect(end).toMatchObject({ phase: 'COMPLETED' });
    await harness.expectExact();
  });
});
