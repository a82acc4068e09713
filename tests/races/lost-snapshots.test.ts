import { askForRepair, shardOf } from '@aosc/domain';
import { callRaw } from '@aosc/testkit';
import { borrowCluster, type Cluster } from './support/cluster';
import { type Faults, onCall, once } from './support/faults';
import type { Harness } from './support/harness';
import { createPair, routingShards, someDocuments, someSource } from './support/pairs';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

const call = { signal: new AbortController().signal };

/** Closes every point in time that the migration holds, as a user might. */
async function closeSnapshots(harness: Harness): Promise<void> {
  const held = (await harness.shards()).flatMap(({ snapshot, nextSnapshot }) => [
    snapshot?.pitId,
    nextSnapshot?.pitId,
  ]);
  const ids = held.filter((id) => id !== undefined);
  expect(ids.length).toBeGreaterThan(0);
  await cluster.send('DELETE', '/_search/point_in_time', { pit_id: ids });
}

/** Two routings of one shard of the source that lead to two shards of the target where it has more. */
function pickRoutings([from, to]: readonly [number, number]): readonly [string, string] {
  const homeOf = (routing: string, shardCount: number): number =>
    shardOf({ id: 'x', routing }, { shardCount, routingShardCount: routingShards, partitionSize: 1 });
  const [first = '', ...others] = Array.from({ length: 200 }, (_, n) => `r${n}`);
  const second = others.find(
    (routing) =>
      homeOf(routing, from) === homeOf(first, from) &&
      (homeOf(routing, to) !== homeOf(first, to) || from === to),
  );
  if (second === undefined) throw new Error('no such pair of routings');
  return [first, second];
}

const countOf = (list: readonly string[], wanted: string): number =>
  list.filter((each) => each === wanted).length;

describe.each<{ shards: readonly [number, number]; mode: string; printMemoryBytes?: number }>([
  { shards: [2, 2], mode: 'SAME_SHARD' },
  { shards: [2, 4], mode: 'SPLIT_SHARD' },
  { shards: [2, 3], mode: 'BULK_API' },
  // Each document of the target is looked up by its id.
  { shards: [2, 3], mode: 'BULK_API', printMemoryBytes: 0 },
])('a snapshot closed by a user, $mode, $printMemoryBytes', ({ shards, mode, printMemoryBytes }) => {
  const [r1, r2] = pickRoutings(shards);

  /** Deletes and updates of documents that were copied before, and one whose routing changes. */
  async function change(source: string, from: number): Promise<void> {
    const ids = Array.from({ length: 30 }, (_, n) => `d${from + n}`);
    await Promise.all([
      ...ids.slice(0, 15).map((id) => cluster.remove(source, { id })),
      ...ids.slice(15).map((id) => cluster.put(source, { id }, someSource(id))),
      cluster.put(source, { id: `moving-${from}`, routing: r2 }, someSource('moving')),
    ]);
  }

  async function start(): Promise<Harness> {
    const moving = [0, 30, 60].map((n) => ({ id: `moving-${n}`, routing: r1, source: someSource('moving') }));
    const documents = [...moving, ...someDocuments(200)];
    const harness = await createPair(cluster, {
      shards,
      documents,
      ...(printMemoryBytes !== undefined && { printMemoryBytes }),
    });
    expect(await harness.record()).toMatchObject({ shardRoutingMode: mode });
    return harness;
  }

  test('BACKFILLING -> BACKFILLING, in the middle of a round, and between two rounds', async () => {
    const harness = await start();

    // Each shard loses it when several windows are copied: the changes lie behind what was read.
    const closing = (): Faults => {
      const strike = onCall(3, async () => {
        await change(harness.source, 0);
        await closeSnapshots(harness);
      });
      return {
        source: {
          snapshots: (real) => ({
            readDocuments: async (...args) => {
              await strike();
              return real.readDocuments(...args);
            },
          }),
        },
      };
    };
    await harness.backfill(closing());
    expect(countOf(harness.events, 'snapshot_lost')).toBe(1);
    await harness.round();
    expect(countOf(harness.events, 'sweep_complete')).toBe(countOf(harness.events, 'snapshot_lost'));
    await harness.expectExact();

    // Between the deletes and the upserts of a round: the first bulk of documents finds both snapshots gone.
    await change(harness.source, 30);
    const lossesBefore = countOf(harness.events, 'snapshot_lost');
    const strike = once(() => closeSnapshots(harness));
    await harness.round({
      target: {
        writes: (real) => ({
          bulk: async (fence, items, call) => {
            const outcome = await real.bulk(fence, items, call);
            if (items.some(({ kind }) => kind === 'delete')) await strike();
            return outcome;
          },
        }),
      },
    });
    expect(countOf(harness.events, 'snapshot_lost')).toBeGreaterThan(lossesBefore);
    await harness.expectExact();

    // Between two rounds, with deletes that only the lost snapshots could have shown.
    await change(harness.source, 60);
    await closeSnapshots(harness);
    await harness.round();
    await harness.expectExact();
    for (const { snapshotsLost, sweepPending } of await harness.shards()) {
      expect(snapshotsLost).toBeGreaterThanOrEqual(2);
      expect(sweepPending).toBe(false);
    }

    expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
    await harness.expectExact();
  });

  test('under the write block, with the last deletes pending', async () => {
    const harness = await start();
    await harness.backfill();
    await harness.round();
    const strike = once(async () => {
      await change(harness.source, 0);
      await closeSnapshots(harness);
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
    expect(countOf(harness.events, 'sweep_complete')).toBeGreaterThan(0);
    await harness.expectExact();
  });
});

test('a document that is gone from the source, and has the print of a document that is not', async () => {
  const harness = await createPair(cluster, { shards: [1, 1], documents: someDocuments(50) });
  await harness.backfill();
  await harness.round();
  await cluster.remove(harness.source, { id: 'd7' });
  await closeSnapshots(harness);
  await harness.round({
    source: {
      snapshots: (real) => ({
        readHeads: async (request, call) => {
          const page = await real.readHeads(request, call);
          const { selection } = request;
          if (selection.kind !== 'range' || selection.from !== 0) return page;
          // Stands for two equal prints: the first document passes for the deleted one.
          const documents = page.documents.map((head, at) => (at === 0 ? { ...head, id: 'd7' } : head));
          return { ...page, documents };
        },
      }),
    },
  });
  expect(countOf(harness.events, 'sweep_complete')).toBe(2);
  await harness.expectExact();
  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
});

test('documents that the sweep finds to be gone and to be different, more than one page of them', async () => {
  const harness = await createPair(cluster, { shards: [1, 2], documents: someDocuments(2500) });
  await harness.backfill();
  await harness.round();
  const ids = Array.from({ length: 2400 }, (_, n) => `d${n}`);
  const lines = ids.flatMap((id, n): readonly object[] =>
    n % 2 === 0 ? [{ delete: { _id: id } }] : [{ index: { _id: id } }, { title: `again ${id}` }],
  );
  const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  await callRaw(cluster.http, { method: 'POST', path: `/${harness.source}/_bulk?refresh=true`, body });
  await closeSnapshots(harness);
  await harness.round();
  expect(countOf(harness.events, 'sweep_complete')).toBe(1);
  await harness.expectExact();
});

describe.each([{ printMemoryBytes: 2 ** 26 }, { printMemoryBytes: 0 }])(
  'what only a sweep can find, with $printMemoryBytes bytes for prints',
  ({ printMemoryBytes }) => {
    test('a document that has another version in the target', async () => {
      const harness = await createPair(cluster, {
        shards: [1, 1],
        documents: someDocuments(50),
        printMemoryBytes,
      });
      await harness.backfill();
      await harness.round();
      await cluster.put(
        harness.target,
        { id: 'd3', version: 5 },
        JSON.stringify({ title: 'of somebody else' }),
      );
      await closeSnapshots(harness);
      await harness.round();
      expect(countOf(harness.events, 'sweep_complete')).toBe(1);
      await harness.expectExact();
    });

    test('a document that is gone, and another document that the target lacks', async () => {
      const harness = await createPair(cluster, {
        shards: [1, 1],
        documents: someDocuments(50),
        printMemoryBytes,
      });
      await harness.backfill();
      await harness.round();
      await cluster.remove(harness.source, { id: 'd3' });
      await cluster.remove(harness.target, { id: 'd9' });
      await closeSnapshots(harness);
      await harness.round();
      expect(countOf(harness.events, 'copy_incomplete')).toBe(1);
      await harness.expectExact();
    });
  },
);

test('a snapshot that shows more documents than it has counted', async () => {
  const harness = await createPair(cluster, { shards: [1, 1], documents: someDocuments(50) });
  await harness.backfill();
  await harness.round();
  await closeSnapshots(harness);
  await harness.job('replay', 0, {
    faults: {
      source: {
        snapshots: (real) => ({
          measure: async (...args) => {
            const measured = await real.measure(...args);
            return { ...measured, documentCount: measured.documentCount - 1 };
          },
        }),
      },
    },
  });
  const shard = await harness.shard(0);
  expect(shard).toMatchObject({ phase: 'FAILING' });
  expect(shard.error).toContain('it counts 49 documents and shows more');
});

test('a snapshot that is lost during a repair: the shard copies again, and then repairs', async () => {
  const harness = await createPair(cluster, { shards: [2, 4], documents: someDocuments(80) });
  await harness.backfill();
  await harness.round();
  const stored = await cluster.store.readShard(harness.key, 0, call);
  if (stored === undefined) throw new Error('the shard has no record');
  await cluster.store.replaceShard(stored, askForRepair(stored.record, ['d1', 'd2']), call);
  // The round brings the snapshot from which the repair reads, and then the repair looks its documents up.
  let rounds = 0;
  const strike = once(() => closeSnapshots(harness));
  const faults: Faults = {
    store: (real) => ({
      async replaceShard(before, after, ...rest) {
        if (after.snapshot?.pitId !== before.record.snapshot?.pitId) rounds++;
        return real.replaceShard(before, after, ...rest);
      },
    }),
    source: {
      snapshots: (real) => ({
        async readHeads(...args) {
          if (rounds > 0) await strike();
          return real.readHeads(...args);
        },
      }),
    },
  };
  await harness.job('replay', 0, { faults });
  expect(await harness.shard(0)).toMatchObject({ snapshotsLost: 1, repairIds: ['d1', 'd2'] });
  expect((await harness.shard(0)).phase).not.toBe('FAILING');
  await harness.round();
  expect(await harness.shard(0)).not.toHaveProperty('repairIds');
  await harness.expectExact();
});
