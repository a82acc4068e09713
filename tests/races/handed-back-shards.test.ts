import { ClusterError } from '@aosc/engine';
import { waitUntil } from '@aosc/local-stack';
import { failPrimary } from '../support/allocation';
import { borrowCluster, type Cluster } from './support/cluster';
import { drive } from './support/drive';
import type { Faults } from './support/faults';
import type { Harness } from './support/harness';
import { createPair, type PairOptions, someDocuments } from './support/pairs';

/*
 * A worker hands its shard back with the write that says that the last round has been. From then on no worker beats for
 * the shard, and the scheduler closes its snapshots.
 */

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

const often = { maxLooks: 120, pauseMs: 500 };

async function beginCutover(
  shards: readonly [number, number],
  parts: Pick<PairOptions, 'transform'> = {},
): Promise<Harness> {
  const harness = await createPair(cluster, { shards: [...shards], documents: someDocuments(60), ...parts });
  await harness.backfill();
  await harness.runUntil('CATCHING_UP');
  return harness;
}

/** The write that hands the shard back lands, `act` happens, and its answer is lost. */
function losesHandBack(act: () => Promise<unknown>): Faults & { readonly bulks: () => number } {
  let isLost = false;
  let bulks = 0;
  return {
    bulks: () => bulks,
    store: (real) => ({
      async replaceShard(before, after, call) {
        const written = await real.replaceShard(before, after, call);
        if (isLost || after.phase !== 'COMPLETING') return written;
        isLost = true;
        await act();
        throw new ClusterError('transient', 'the answer is lost');
      },
    }),
    target: {
      writes: (real) => ({
        bulk(...args) {
          if (isLost) bulks++;
          return real.bulk(...args);
        },
      }),
    },
  };
}

test.each(['stays', 'is deleted'])(
  'the scheduler ends a shard whose worker has no answer yet, and the source %s',
  async (what) => {
    const harness = await beginCutover([1, 2]);
    const faults = losesHandBack(async () => {
      expect(await drive(harness, often)).toBe('COMPLETED');
      if (what === 'is deleted') await cluster.send('DELETE', `/${harness.source}`);
    });
    expect(await harness.job('catch_up', 0, { faults })).toEqual({ type: 'done' });
    expect(faults.bulks()).toBe(0);
    expect((await harness.shard(0)).phase).toBe('COMPLETED');
    if (what === 'stays') await harness.expectExact();
  },
);

const rewriting: NonNullable<PairOptions['transform']> = {
  record: { source: "ctx._id = 'new-' + ctx._id", rewritesIdentity: true },
  expected: (document) => ({ ...document, id: `new-${document.id}` }),
};

async function completesWithoutPrimary(parts?: Pick<PairOptions, 'transform'>): Promise<void> {
  const harness = await beginCutover([2, 2], parts);
  await harness.job('catch_up', 0);
  expect((await harness.shard(0)).phase).toBe('COMPLETING');
  await failPrimary(cluster.http, harness.source, 0);
  expect(await drive(harness, often)).toBe('COMPLETED');
  await harness.expectExact();
}

test('a primary that fails while its shard waits for others comes back, and the migration completes', () =>
  completesWithoutPrimary());

test('a primary that fails comes back as well where a transform rewrites ids', () =>
  completesWithoutPrimary({ transform: rewriting }));

test('one whose tries are used up before anybody looks comes back as well', async () => {
  const harness = await beginCutover([1, 2]);
  await harness.job('catch_up', 0);
  await failPrimary(cluster.http, harness.source, 0);
  await waitUntil(
    async () => {
      const explained = await cluster.text('GET', '/_cluster/allocation/explain').catch(String);
      return explained.includes('"failed_allocation_attempts":5');
    },
    { what: 'the cluster has given the primary up', timeoutMs: 180_000, endedBy: [] },
  );
  expect(await drive(harness, often)).toBe('COMPLETED');
  await harness.expectExact();
});

test('what early shards hold is closed under the write block, though the clock was set back', async () => {
  const harness = await beginCutover([2, 2]);
  await harness.job('catch_up', 0);
  expect((await harness.shard(0)).snapshot).toBeDefined();
  harness.jumpClock(-60_000);
  await harness.advance();
  const { snapshot, closingPitIds } = await harness.shard(0);
  expect({ snapshot, closingPitIds }).toEqual({ snapshot: undefined, closingPitIds: [] });
  expect(await drive(harness, often)).toBe('COMPLETED');
  await harness.expectExact();
});
