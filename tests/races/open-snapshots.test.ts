import { ClusterError } from '@aosc/engine';
import { waitUntil } from '@aosc/local-stack';
import { parsePointsInTime } from '@aosc/testkit';
import { borrowCluster, type Cluster } from './support/cluster';
import { homeOfPrimary, reroute, untilGreen } from '../support/allocation';
import { once } from './support/faults';
import type { Harness } from './support/harness';
import { createPair, someDocuments } from './support/pairs';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

/** How many points in time each node allows; null: its default. */
async function allow(limit: number | null): Promise<void> {
  await cluster.send('PUT', '/_cluster/settings', {
    transient: { 'search.max_open_pit_context': limit },
  });
}

/** A job that asks again and again for a point in time that it is refused. */
async function expectWaiting(harness: Harness, job: Promise<unknown>): Promise<void> {
  const ended = new AbortController();
  job.then(
    () => ended.abort(new Error('the job has ended')),
    (error: unknown) => ended.abort(error),
  );
  await waitUntil(
    () => Promise.resolve(harness.events.filter((event) => event === 'read_retry').length > 2),
    {
      what: 'the job to ask again',
      timeoutMs: 60_000,
      endedBy: [ended.signal],
    },
  );
  for (const { phase } of await harness.shards()) expect(phase).not.toMatch(/FAIL/);
}

test('others have taken every point in time: copy and rounds wait, and go on when there is room', async () => {
  const documents = someDocuments(100);
  const harness = await createPair(cluster, { shards: [2, 2], documents });
  try {
    await allow(0);
    await harness.advance();
    const copying = harness.job('backfill', 0);
    await expectWaiting(harness, copying);
    await allow(2);
    expect(await copying).toEqual({ type: 'done' });
    await harness.job('backfill', 1);

    // Each shard holds one, so there is none for a round. A shard without new writes needs none.
    await cluster.removeAll(harness.alias, documents.slice(0, 40));
    const seen = harness.events.length;
    const replaying = harness.job('replay', 0);
    await waitUntil(() => Promise.resolve(harness.events.slice(seen).includes('read_retry')), {
      what: 'the round to ask again',
      timeoutMs: 60_000,
      endedBy: [],
    });
    await allow(null);
    await replaying;
    expect((await harness.shard(0)).snapshotsLost).toBe(0);
    expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
    await harness.expectExact();
  } finally {
    await allow(null);
  }
});

async function keepAliveOf(pitId: string | undefined): Promise<number | undefined> {
  const { pits } = parsePointsInTime(await cluster.send('GET', '/_search/point_in_time/_all'));
  return pits.find(({ pit_id }) => pit_id === pitId)?.keep_alive;
}

test('the answer that names a snapshot is lost: no process can close it, so it ends by itself in half a minute', async () => {
  const harness = await createPair(cluster, { shards: [1, 1], documents: someDocuments(20) });
  await harness.advance();
  let lost: string | undefined;
  await harness.job('backfill', 0, {
    faults: {
      source: {
        snapshots: (real) => ({
          async open(...args) {
            const pitId = await real.open(...args);
            if (lost !== undefined) return pitId;
            lost = pitId;
            throw new ClusterError('transient', 'the answer is lost');
          },
        }),
      },
    },
  });
  const { snapshot } = await harness.shard(0);
  expect(await keepAliveOf(lost)).toBeLessThanOrEqual(30_000);
  expect(await keepAliveOf(snapshot?.pitId)).toBeGreaterThan(30_000);
});

test('the owner dies right after it has named a snapshot: the next one keeps it before anything else', async () => {
  const documents = someDocuments(40);
  const harness = await createPair(cluster, { shards: [1, 1], documents });
  await harness.backfill();
  await cluster.removeAll(harness.alias, documents.slice(0, 10));
  const killed = new AbortController();
  const isNamed = async () => (await harness.shard(0)).nextSnapshot?.pitId;
  await harness.job('replay', 0, {
    kill: killed.signal,
    faults: {
      store: (real) => ({
        async replaceShard(before, after, call) {
          const stored = await real.replaceShard(before, after, call);
          if (after.nextSnapshot === undefined) return stored;
          killed.abort(new Error('killed'));
          throw new ClusterError('aborted', 'killed');
        },
      }),
    },
  });
  const pitId = await isNamed();
  expect(pitId).toBeDefined();
  expect(await keepAliveOf(pitId)).toBeLessThanOrEqual(30_000);
  const keepAlives: (number | undefined)[] = [];
  await harness.job('replay', 0, {
    takeOver: true,
    faults: {
      store: (real) => ({
        async replaceShard(...write) {
          keepAlives.push(await keepAliveOf(pitId));
          return real.replaceShard(...write);
        },
      }),
    },
  });
  expect(keepAlives[0]).toBeGreaterThan(30_000);
  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  await harness.expectExact();
});

test('a target primary that fails below the sweep that reads it gets its lock back', async () => {
  const documents = someDocuments(60);
  const harness = await createPair(cluster, { shards: [1, 1], documents });
  await harness.backfill();
  const held = (await harness.shards()).map(({ snapshot }) => snapshot?.pitId);
  await cluster.send('DELETE', '/_search/point_in_time', { pit_id: held });
  await cluster.removeAll(harness.alias, documents.slice(0, 20));
  const fail = once(async () => {
    const node = await homeOfPrimary(cluster.http, harness.target, 0);
    if (node === undefined) throw new Error('the target has no primary');
    await reroute(cluster.http, {
      cancel: { index: harness.target, shard: 0, node, allow_primary: true },
    });
    await untilGreen(cluster.http, harness.target);
  });
  await harness.round({
    target: {
      snapshots: (real) => ({
        async readHeads(request, call) {
          await fail();
          return real.readHeads(request, call);
        },
      }),
    },
  });
  expect(harness.events).toEqual(expect.arrayContaining(['snapshot_given_up', 'sweep_complete']));
  await harness.expectExact();
  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  await harness.expectExact();
});
