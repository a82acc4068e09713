import { type BulkItem, ClusterError } from '@aosc/engine';
import { fenceAlias, isOpaqueIdOf } from '@aosc/domain';
import { timeLimit } from '@aosc/signals';
import { borrowCluster, type Cluster, putOnceForgotten } from './support/cluster';
import { createBarrier, type Faults, once } from './support/faults';
import { createPair, someDocuments, someSource } from './support/pairs';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

const idsOf = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, n) => `d${from + n}`);

/**
 * Holds the first bulk that `isIt`, right before it is sent: its process is paused, and so is everything in it that
 * could stop the bulk. It is sent when the process wakes up.
 */
function pausedAt(isIt: (items: readonly BulkItem[]) => boolean) {
  const barrier = createBarrier();
  const fences: string[] = [];
  const faults: Faults = {
    target: {
      writes: (real) => ({
        async bulk(fence, items, call) {
          if (fences.length === 0 && isIt(items)) {
            fences.push(fence);
            await barrier.pass();
            return real.bulk(fence, items, { ...call, signal: new AbortController().signal });
          }
          return real.bulk(fence, items, call);
        },
      }),
    },
  };
  return { barrier, faults, fences };
}

test('a worker that wakes up after another has taken over resurrects nothing and stops', async () => {
  const harness = await createPair(cluster, { shards: [1, 2] });
  await harness.advance();
  const paused = pausedAt(() => true);
  const first = harness.job('backfill', 0, { faults: paused.faults });
  await paused.barrier.reached;

  await harness.job('backfill', 0, { takeOver: true });
  await Promise.all(idsOf(0, 200).map((id) => cluster.remove(harness.source, { id })));
  await harness.round();
  expect((await harness.shard(0)).writer.epoch).toBe(2);
  const before = await harness.shard(0);

  paused.barrier.open();
  expect(await first).toEqual({ type: 'done', lost: true });
  expect(harness.events).toContain('shard_lost');
  expect(await harness.shard(0)).toEqual(before);
  await harness.expectExact();
});

test('the deletes of a worker that wakes up touch nothing and make no index', async () => {
  const harness = await createPair(cluster, { shards: [1, 2] });
  await harness.backfill();
  await Promise.all(idsOf(0, 20).map((id) => cluster.remove(harness.source, { id })));
  const paused = pausedAt((items) => items.some(({ kind }) => kind === 'delete'));
  const first = harness.job('replay', 0, { faults: paused.faults });
  await paused.barrier.reached;

  await harness.job('replay', 0, { takeOver: true });
  await Promise.all(idsOf(0, 20).map((id) => cluster.put(harness.source, { id }, someSource(id))));
  await harness.round();

  paused.barrier.open();
  await first;
  await harness.expectExact();
  expect(paused.fences).toHaveLength(1);
  const call = { signal: timeLimit(30_000) };
  expect(await cluster.ports.index(paused.fences[0] ?? '').state.describe(call)).toBeUndefined();
});

test('a call that opens a fence and lands late, when the next one is open, lets no delayed bulk through', async () => {
  const harness = await createPair(cluster, { shards: [1, 2] });
  await harness.advance();
  const firstPaused = pausedAt(() => true);
  const first = harness.job('backfill', 0, { faults: firstPaused.faults });
  await firstPaused.barrier.reached;

  // The second worker's call stalls on its way, is given up and repeated. Then its first bulk stalls.
  const stalled: (() => Promise<unknown>)[] = [];
  const paused = pausedAt(() => true);
  const second = harness.job('backfill', 0, {
    takeOver: true,
    faults: {
      ...paused.faults,
      aliases: (real) => ({
        update(actions, call) {
          if (stalled.length > 0) return real.update(actions, call);
          stalled.push(() => real.update(actions, { signal: timeLimit(30_000) }));
          return Promise.reject(new ClusterError('transient', 'no answer'));
        },
      }),
    },
  });
  await paused.barrier.reached;
  expect(paused.fences).toEqual([fenceAlias(harness.key, 0, 2)]);

  await harness.job('backfill', 0, { takeOver: true });
  await Promise.all(idsOf(0, 200).map((id) => cluster.remove(harness.source, { id })));
  await harness.round();

  expect(await stalled[0]?.()).toMatchObject({ type: 'missing' });
  paused.barrier.open();
  firstPaused.barrier.open();
  expect(await first).toEqual({ type: 'done', lost: true });
  expect(await second).toEqual({ type: 'done', lost: true });
  const fences = await cluster.ports.index(harness.target).aliases.list('aosc-fence-*', {
    signal: timeLimit(30_000),
  });
  expect(fences).toEqual([fenceAlias(harness.key, 0, 3)]);
  await harness.expectExact();
});

test('the answer to the call that opens a fence is lost: all nodes confirm it, and the copy goes on', async () => {
  const harness = await createPair(cluster, { shards: [1, 2] });
  await harness.advance();
  const paused = pausedAt(() => true);
  const first = harness.job('backfill', 0, { faults: paused.faults });
  await paused.barrier.reached;
  const updates: unknown[] = [];
  const job = await harness.job('backfill', 0, {
    takeOver: true,
    faults: {
      aliases: (real) => ({
        async update(actions, call) {
          const update = await real.update(actions, call);
          updates.push(update);
          if (updates.length === 1) throw new ClusterError('transient', 'no answer');
          return update;
        },
      }),
    },
  });
  expect(job).toEqual({ type: 'done' });
  expect(updates).toEqual([{ type: 'acknowledged' }, { type: 'acknowledged' }]);
  expect((await harness.shard(0)).writer.epoch).toBe(2);
  paused.barrier.open();
  await first;
  await harness.round();
  await harness.expectExact();
});

test('a worker that wakes up with the old life of a document does not write it over the new one', async () => {
  const harness = await createPair(cluster, {
    shards: [1, 2],
    documents: someDocuments(20),
    sourceSettings: { 'index.gc_deletes': '0s' },
  });
  const { source } = harness;
  const ids = idsOf(100, 140);
  await Promise.all(ids.map((id) => cluster.put(source, { id, version: 70 }, someSource(id))));
  const putAgain = (id: string) => putOnceForgotten(cluster, source, { id, version: 3 }, someSource(id));
  await harness.advance();
  const paused = pausedAt((items) =>
    items.some((item) => item.kind === 'index' && item.document.version === '70'),
  );
  const first = harness.job('backfill', 0, { faults: paused.faults });
  await paused.barrier.reached;

  await harness.job('backfill', 0, { takeOver: true });
  await Promise.all(ids.map((id) => cluster.remove(source, { id, version: 71 })));
  await harness.round();
  await harness.expectExact();
  // Only the next round knows the new lives: some are there again when the old bulk arrives, some come later.
  await Promise.all(ids.slice(0, 20).map(putAgain));
  await harness.round();

  paused.barrier.open();
  await first;
  await harness.expectExact();
  await Promise.all(ids.slice(20).map(putAgain));
  await harness.round();
  await harness.expectExact();
});

/** How many primaries a node brings up at a time; 0 keeps an unassigned primary from coming back. */
async function limitPrimaryRecoveries(limit: number | null): Promise<void> {
  await cluster.send('PUT', '/_cluster/settings', {
    transient: { 'cluster.routing.allocation.node_initial_primaries_recoveries': limit },
  });
}

test('a bulk that still runs in the cluster is waited for before the next worker writes', async () => {
  const harness = await createPair(cluster, { shards: [1, 1], documents: someDocuments(60) });
  await harness.advance();
  const { target } = harness;
  const call = { signal: timeLimit(120_000) };
  const isOfFirst = (opaqueId: string): boolean => isOpaqueIdOf(opaqueId, harness.key, 0, 1);
  const running = async (): Promise<readonly string[]> =>
    (await cluster.ports.index(target).tasks.listBulks(isOfFirst, call)).running;
  const stillRunning: (readonly string[])[] = [];
  const seen: number[] = [];
  try {
    // The target's primary is away: the first worker's bulks wait for it, and its process dies.
    const { primaries } = await cluster.ports.index(target).state.readRouting(call);
    await limitPrimaryRecoveries(0);
    await cluster.send('POST', '/_cluster/reroute?metric=none', {
      commands: [{ cancel: { index: target, shard: 0, node: primaries[0]?.nodeId, allow_primary: true } }],
    });
    const kill = new AbortController();
    const first = harness.job('backfill', 0, { kill: kill.signal });
    while ((await running()).length === 0);
    kill.abort(new Error('killed'));
    await first;

    // The fence is gone, the bulks are not: they land when the primary is back.
    const bringBack = once(async () => {
      expect(await cluster.ports.index(target).aliases.list('aosc-fence-*', call)).toEqual([
        `aosc-fence-${harness.key}-0-2`,
      ]);
      await limitPrimaryRecoveries(null);
    });
    await harness.job('backfill', 0, {
      takeOver: true,
      faults: {
        target: {
          tasks: (real) => ({
            async listBulks(...args) {
              const tasks = await real.listBulks(...args);
              seen.push(tasks.running.length);
              if (tasks.running.length > 0) await bringBack();
              return tasks;
            },
          }),
          writes: (real) => ({
            async bulk(...args) {
              stillRunning.push(await running());
              return real.bulk(...args);
            },
          }),
        },
      },
    });
  } finally {
    await limitPrimaryRecoveries(null);
  }
  expect(seen[0]).toBeGreaterThan(0);
  expect(stillRunning.length).toBeGreaterThan(0);
  expect(stillRunning.flat()).toEqual([]);
  await harness.expectExact();
});
