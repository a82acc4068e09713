import { type Cluster, startCluster } from '../races/support/cluster';
import { createBarrier, type Faults } from '../races/support/faults';
import type { PacingSizes } from '../races/support/pacing';
import { createPair, someDocuments } from '../races/support/pairs';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());

interface Bulk {
  readonly documents: number;
  /** with this one */
  readonly inFlight: number;
}

/** Sees every bulk on its way to the cluster. */
function watchBulks(onBulk: (number: number, bulk: Bulk) => Promise<void> | undefined) {
  const bulks: Bulk[] = [];
  let inFlight = 0;
  const faults: Faults = {
    target: {
      writes: (real) => ({
        async bulk(...args) {
          inFlight++;
          try {
            const bulk = { documents: args[1].length, inFlight };
            await onBulk(bulks.push(bulk), bulk);
            return await real.bulk(...args);
          } finally {
            inFlight--;
          }
        },
      }),
    },
  };
  return { bulks, faults };
}

const start = (pacing: PacingSizes) =>
  createPair(cluster, { shards: [1, 2], documents: someDocuments(1200), pacing });

test('while a shard is copied, the next bulk has the size that was set last', async () => {
  const pacing = { documentsPerBulk: 5, documentsPerPage: 500, concurrency: 1 };
  const harness = await start(pacing);
  const { bulks, faults } = watchBulks((number) => {
    if (number === 5) pacing.documentsPerBulk = 50;
    if (number === 7) pacing.documentsPerBulk = 8;
    if (number === 9) pacing.documentsPerBulk = 200;
    return undefined;
  });
  await harness.backfill(faults);
  const sizes = bulks.map(({ documents }) => documents);
  // Pages of 16 and 64 documents, the 80 that a window for bulks of five holds; then a window for bulks of eight, with 128.
  expect(sizes.slice(0, 10)).toEqual([5, 5, 5, 1, 5, 50, 9, 8, 8, 112]);
  expect(Math.max(...sizes.slice(10))).toBe(200);
  await harness.runUntil('COMPLETED');
  await harness.expectExact();
});

test('pages, too', async () => {
  const pacing = { documentsPerBulk: 500, documentsPerPage: 10, concurrency: 1 };
  const harness = await start(pacing);
  const asked: number[] = [];
  await harness.backfill({
    source: {
      snapshots: (real) => ({
        readDocuments(request, call) {
          if (asked.push(request.size) === 4) pacing.documentsPerPage = 300;
          return real.readDocuments(request, call);
        },
      }),
    },
  });
  expect(asked.slice(0, 4)).toEqual([10, 10, 10, 10]);
  expect(asked.slice(4).every((size) => size > 10)).toBe(true);
  expect(Math.max(...asked)).toBe(300);
});

test('raised concurrency fills up after the next bulk, lowered concurrency holds for the next one', async () => {
  const pacing = { documentsPerBulk: 10, documentsPerPage: 40, concurrency: 1 };
  const harness = await start(pacing);
  const raised = 3;
  const lowered = 12;
  const four = createBarrier();
  const { bulks, faults } = watchBulks((number, { inFlight }) => {
    if (number === raised) pacing.concurrency = 4;
    if (number === lowered) pacing.concurrency = 1;
    if (number <= raised || number > raised + 4) return undefined;
    // Nothing goes on until four are there: three must come while the first window is still being copied.
    if (inFlight === 4) four.open();
    return four.pass();
  });
  await harness.backfill(faults);
  const inFlight = bulks.map((bulk) => bulk.inFlight);
  expect(inFlight.slice(0, raised)).toEqual([1, 1, 1]);
  expect(Math.max(...inFlight)).toBe(4);
  expect(inFlight.slice(lowered).every((count) => count === 1)).toBe(true);
  expect(inFlight.length).toBeGreaterThan(60);
});
