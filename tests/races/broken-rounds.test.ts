import { type BulkItem, ClusterError, type WritePort } from '@aosc/engine';
import { timeLimit } from '@aosc/signals';
import { borrowCluster, type Cluster } from './support/cluster';
import { copyItem, type Faults } from './support/faults';
import type { Harness } from './support/harness';
import { createPair, someDocuments, someSource } from './support/pairs';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

const idsOf = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, n) => `d${from + n}`);

const idOf = (item: BulkItem): string =>
  item.kind === 'index' ? item.document.idToken.slice(1, -1) : item.key.id;

/** Runs a job of shard 0 in a process that is killed after its n-th bulk. */
async function runUntilKilled(kind: 'backfill' | 'replay', harness: Harness, bulks: number): Promise<void> {
  const kill = new AbortController();
  let sent = 0;
  const faults: Faults = {
    target: {
      writes: (real) => ({
        async bulk(...args) {
          const outcome = await real.bulk(...args);
          if (++sent === bulks) kill.abort(new Error('killed'));
          return outcome;
        },
      }),
    },
  };
  await harness.job(kind, 0, { faults, kill: kill.signal });
  expect(sent).toBeGreaterThanOrEqual(bulks);
  expect((await harness.shard(0)).writer.owner).toBeDefined();
}

test('a round that reads fewer documents than it has counted fails: each was an update, which no count would miss', async () => {
  const harness = await createPair(cluster, { shards: [1, 2], documents: someDocuments(40) });
  await harness.backfill();
  for (const id of idsOf(0, 5)) await cluster.put(harness.source, { id }, someSource(id));
  const withoutOne: Faults = {
    source: {
      snapshots: (real) => ({
        async readDocuments(...args) {
          const page = await real.readDocuments(...args);
          return { ...page, documents: page.documents.slice(1) };
        },
      }),
    },
  };
  await expect(harness.round(withoutOne)).rejects.toThrow(
    /contradicts itself: 5 changed documents by count, 4 were read to be written/,
  );
});

test.each([1, 2, 4])('a round broken off after bulk %i is run again by another process', async (bulks) => {
  const harness = await createPair(cluster, { shards: [1, 2] });
  await harness.backfill();

  // Deletes, updates, and documents that exist in this round's second snapshot and in no other.
  await Promise.all([
    ...idsOf(0, 30).map((id) => cluster.remove(harness.source, { id })),
    ...idsOf(30, 120).map((id) => cluster.put(harness.source, { id }, someSource(id))),
    ...idsOf(500, 530).map((id) => cluster.put(harness.source, { id }, someSource(id))),
  ]);
  await runUntilKilled('replay', harness, bulks);
  const { nextSnapshot, writer } = await harness.shard(0);
  expect(nextSnapshot).toBeDefined();

  await Promise.all(idsOf(500, 530).map((id) => cluster.remove(harness.source, { id })));
  await harness.job('replay', 0, { takeOver: true });
  const after = await harness.shard(0);
  expect(after.snapshot).toEqual(nextSnapshot);
  expect(after.writer.epoch).toBe(writer.epoch + 1);

  await harness.round();
  await harness.expectExact();
});

test('a backfill broken off goes on from its watermark and with the same snapshot', async () => {
  const harness = await createPair(cluster, { shards: [1, 2] });
  await harness.advance();
  await runUntilKilled('backfill', harness, 3);
  const { snapshot } = await harness.shard(0);
  await Promise.all(idsOf(0, 60).map((id) => cluster.remove(harness.source, { id })));
  await harness.job('backfill', 0, { takeOver: true });
  const after = await harness.shard(0);
  expect(after.snapshot).toEqual(snapshot);
  expect(after.backfill).toMatchObject({ documentsIndexed: 200 });
  await harness.round();
  await harness.expectExact();
});

describe('a bulk with an unknown outcome starts a new epoch', () => {
  /** What becomes of the first bulk of an epoch, while the engine hears nothing. */
  const fates: Record<string, (real: WritePort, ...args: Parameters<WritePort['bulk']>) => Promise<unknown>> =
    {
      'and was applied': (real, ...args) => real.bulk(...args),
      'and never arrived': () => Promise.resolve(),
    };

  function losing(bulk: number, fate: (typeof fates)[string]): Faults {
    let sent = 0;
    return {
      target: {
        writes: (real) => ({
          async bulk(...args) {
            if (++sent !== bulk) return real.bulk(...args);
            await fate(real, ...args);
            return { type: 'unknown', reason: 'no answer' };
          },
        }),
      },
    };
  }

  test.each(Object.entries(fates))('%s', async (_, fate) => {
    const harness = await createPair(cluster, { shards: [1, 2] });
    await harness.backfill(losing(2, fate));
    const copied = await harness.shard(0);
    expect(copied.writer).toMatchObject({ epoch: 2, fenceReady: true });
    expect(copied.backfill).toMatchObject({ documentsIndexed: 200, bulkRetries: 1 });
    await harness.expectExact();

    // the first bulk of this round is one of deletes, the second one of documents
    for (const bulk of [1, 2]) {
      const from = bulk * 50;
      await Promise.all([
        ...idsOf(from, from + 20).map((id) => cluster.remove(harness.source, { id })),
        ...idsOf(from + 20, from + 40).map((id) => cluster.put(harness.source, { id }, someSource(id))),
      ]);
      await harness.round(losing(bulk, fate));
      const { replay, convergence, writer } = await harness.shard(0);
      expect(writer).toMatchObject({ epoch: 2 + bulk, fenceReady: true });
      expect((replay?.bulkRetries ?? 0) + (convergence?.bulkRetries ?? 0)).toBe(bulk);
      await harness.expectExact();
    }
  });

  test('and arrives when its documents are deleted: it changes nothing', async () => {
    const harness = await createPair(cluster, { shards: [1, 2] });
    const late: Parameters<WritePort['bulk']>[] = [];
    // Copied: the page is read into again as soon as the worker has done with it.
    const keep: (typeof fates)[string] = (_, fence, items, call) =>
      Promise.resolve(late.push([fence, items.map(copyItem), call]));
    await harness.backfill(losing(2, keep));
    await Promise.all(idsOf(0, 200).map((id) => cluster.remove(harness.source, { id })));
    await harness.round();

    expect(late).toHaveLength(1);
    for (const [fence, items] of late) {
      const outcome = await cluster.ports
        .index(harness.target)
        .writes.bulk(fence, items, { signal: timeLimit(30_000) });
      if (outcome.type !== 'answered') throw new Error('no answer');
      expect(outcome.failures.map(({ kind }) => kind)).toEqual(items.map(() => 'fenced'));
    }
    await harness.expectExact();
  });
});

test('items refused for overload are sent again, and no others', async () => {
  const harness = await createPair(cluster, { shards: [1, 2], documents: someDocuments(60) });
  /** ids of each bulk, and those of them that were refused */
  const bulks: { readonly sent: string[]; readonly refused: string[] }[] = [];
  const faults: Faults = {
    target: {
      writes: (real) => ({
        async bulk(fence, items, call) {
          const ids = items.map(idOf);
          // Every second item of the first two bulks, which are under way together: the others get through.
          const count = bulks.length;
          const isRefused = (at: number) => count < 2 && at % 2 === 1;
          bulks.push({ sent: ids, refused: ids.filter((_, at) => isRefused(at)) });
          const passed = items.filter((_, at) => !isRefused(at));
          const outcome = await real.bulk(fence, passed, call);
          if (outcome.type !== 'answered') return outcome;
          expect(outcome.failures).toEqual([]);
          const refusal = {
            kind: 'overload',
            status: 429,
            type: 'rejected',
            reason: 'for the test',
          } as const;
          const failures = ids.flatMap((id, index) => (isRefused(index) ? [{ ...refusal, id, index }] : []));
          return { ...outcome, failures };
        },
      }),
    },
  };
  await harness.backfill(faults);
  const refused = bulks.flatMap((bulk) => bulk.refused);
  expect(refused.length).toBeGreaterThan(5);
  const sent = bulks.flatMap((bulk) => bulk.sent);
  const timesSent = (id: string) => sent.filter((other) => other === id).length;
  const timesRefused = (id: string) => refused.filter((other) => other === id).length;
  for (const id of idsOf(0, 60))
    expect({ id, sent: timesSent(id) }).toEqual({ id, sent: 1 + timesRefused(id) });
  expect((await harness.shard(0)).backfill).toMatchObject({ status: 'COMPLETED', documentsIndexed: 60 });
  // The reader forgot none that waited for its turn.
  await harness.expectExact();
});

test('a gap that stays above the threshold fails the shard after so many rounds', async () => {
  const harness = await createPair(cluster, {
    shards: [1, 1],
    options: { convergenceThresholdPerShard: 0, maxConvergenceRoundsPerShard: 2 },
  });
  await harness.backfill();
  let written = 0;
  // A client writes whenever the gap is about to be measured.
  const faults: Faults = {
    source: {
      state: (real) => ({
        async readCheckpoints(...args) {
          await cluster.put(harness.source, { id: `w${written++}` }, someSource('w'));
          return real.readCheckpoints(...args);
        },
      }),
    },
  };
  await harness.round(faults);
  await harness.round(faults);
  expect(await harness.shard(0)).toMatchObject({ phase: 'CONVERGING', replay: { rounds: 1 } });
  await expect(harness.round(faults)).rejects.toThrow('Convergence rounds exceeded limit: 2 >= 2');
});

test('answers of the store that are lost count nothing twice', async () => {
  const harness = await createPair(cluster, { shards: [1, 2] });
  let writes = 0;
  const faults: Faults = {
    store: (real) => ({
      async replaceShard(...args) {
        const after = await real.replaceShard(...args);
        writes += 1;
        if (writes > 1 && writes % 2 === 1) throw new ClusterError('transient', 'no answer');
        return after;
      },
    }),
  };
  await harness.backfill(faults);
  await Promise.all([
    ...idsOf(0, 20).map((id) => cluster.remove(harness.source, { id })),
    ...idsOf(20, 50).map((id) => cluster.put(harness.source, { id }, someSource(id))),
  ]);
  writes = 0;
  await harness.round(faults);
  expect(await harness.shard(0)).toMatchObject({
    phase: 'CONVERGED',
    backfill: { documentsIndexed: 200, bulkRetries: 0 },
    replay: { rounds: 1, operationsApplied: 50, deletesApplied: 20, bulkRetries: 0 },
    writer: { epoch: 1 },
  });
  await harness.expectExact();
});
