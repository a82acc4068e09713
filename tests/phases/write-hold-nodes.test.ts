import { describeCutover } from '@aosc/domain';
import { ClusterError } from '@aosc/engine';
import type { Cluster } from '../races/support/cluster';
import { once } from '../races/support/faults';
import type { Harness } from '../races/support/harness';
import { type LeavingNode, startLeavingNode } from '../races/support/leaving-node';
import { guarded } from './support/ends';
import { atPut, caughtUp, held, type HoldMoment, holds } from './support/hold-moments';
import { settingsOfSource, writeAndWait } from './support/waiting-writes';

jest.setTimeout(600_000);

/** `data-a` comes and goes; `data-b` has the target and the records. */
let node: LeavingNode;
let cluster: Cluster;
beforeAll(async () => {
  node = await startLeavingNode();
  ({ cluster } = node);
});
afterEach(() => node.comeBack());
afterAll(() => cluster.stop());

interface Started {
  readonly harness: Harness;
  /** all but the write block */
  readonly settings: Readonly<Record<string, string>>;
}

/** @param home of the primary; the other data node has the replica */
async function start(home: 'data-a' | 'data-b', replicas = 1): Promise<Started> {
  const sourceSettings = { 'index.routing.allocation.require._name': home };
  // No bulk of ours goes through the node that leaves.
  const harness = await node.startPair(
    'source',
    {},
    { ...guarded, holds, lostNodeWaitMs: 0, sourceSettings },
  );
  if (replicas === 0) {
    await cluster.send('PUT', `/${harness.source}/_settings`, { 'index.number_of_replicas': 0 });
    await node.untilGreen(harness.source);
  }
  return { harness, settings: await settingsOfSource(cluster, harness) };
}

/** All copies are there. A copy on the node that was away can't be opened before what was open on it is closed. */
const untilWhole = ({ source }: Harness, close: () => Promise<unknown>): Promise<void> =>
  node.waitFor('the source to be whole', async () => {
    await close();
    return (await cluster.text('GET', `/_cat/indices/${source}?h=health`)).trim() === 'green';
  });

/** The data node is paused until the cluster has removed it. */
async function leave(): Promise<void> {
  node.away.pause();
  await node.untilMembers(2);
}

async function completes({ harness, settings }: Started): Promise<void> {
  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  await node.comeBack();
  // The guard closes what could not be closed while the node was away.
  await untilWhole(harness, () => harness.advance());
  await harness.expectExact();
  expect(await settingsOfSource(cluster, harness)).toEqual(settings);
}

const attempts = async (harness: Harness) =>
  describeCutover(await harness.record(), Date.now())?.attempts ?? [];

/** The attempt has taken too long, and is undone. */
async function undo({ harness, settings }: Started): Promise<void> {
  harness.passTime(holds.maxHoldMs + 1000);
  for (let pass = 0; (await harness.record()).phase !== 'PREPARING_TARGET' && pass < 20; pass++) {
    await harness.advance().catch((error: unknown) => {
      if (!(error instanceof ClusterError)) throw error;
    });
  }
  expect(await harness.record()).toMatchObject({ phase: 'PREPARING_TARGET', undoneCount: 1 });
  expect(await settingsOfSource(cluster, harness)).toEqual(settings);
}

/** The node leaves, comes back after the undo, and a waiting write goes on. */
async function isUndoneAfter(arrive: HoldMoment['arrive'], started: Started): Promise<void> {
  const { harness } = started;
  await arrive(harness);
  const waiting = await writeAndWait(cluster, harness, 'waits');
  await leave();
  await undo(started);
  await node.comeBack();
  // Scheduler and worker are at work side by side.
  await untilWhole(harness, () => Promise.all([harness.advance(), harness.job('replay', 0)]));
  // Waits for all copies, as it has read when it came.
  expect(await Promise.all(waiting)).toEqual(['written']);
  harness.passTime(6000);
  await completes(started);
}

describe.each([held, caughtUp])('$when', ({ arrive }) => {
  test.each([
    ['a replica', 'data-b'],
    ['the primary', 'data-a'],
  ] as const)('a node with %s leaves: a waiting write is refused once', async (_, home) => {
    const started = await start(home);
    const { harness } = started;
    await arrive(harness);
    const waiting = await writeAndWait(cluster, harness, 'waits');
    await leave();
    await completes(started);
    expect(await Promise.all(waiting)).toEqual(['refused']);
    expect((await attempts(harness)).at(-1)).toMatchObject({ outcome: 'swapped' });
  });

  test.each([
    ['a replica', 'data-b', 1],
    ['the primary', 'data-a', 1],
    ['the only copy', 'data-a', 0],
  ] as const)('a node with %s leaves, and the attempt is undone', async (_, home, replicas) =>
    isUndoneAfter(arrive, await start(home, replicas)),
  );
});

test('a replica that leaves right before the hold, and comes back in it', async () => {
  const started = await start('data-b');
  const { harness } = started;
  const leaveOnce = once(leave);
  await harness.runUntil(
    'CATCHING_UP',
    atPut('hold', async (put) => {
      await leaveOnce();
      await put();
    }),
  );
  const waiting = await writeAndWait(cluster, harness, 'waits');
  await node.comeBack();
  await completes(started);
  expect(await Promise.all(waiting)).toEqual(['refused']);
});

test('a replica that is away before: the block comes alone, and the status says why', async () => {
  const started = await start('data-b');
  const { harness } = started;
  await leave();
  await completes(started);
  const cutover = describeCutover(await harness.record(), Date.now());
  expect(cutover?.withoutHold).toContain('is missing, recovering or moving');
});

test('the copy of the hold is placed by hand: writes pass, and the attempt is undone', async () => {
  const started = await start('data-a', 0);
  const { harness, settings } = started;
  await caughtUp.arrive(harness);
  const waiting = await writeAndWait(cluster, harness, 'waits');
  await cluster.send('POST', '/_cluster/reroute?metric=none', {
    commands: [{ allocate_replica: { index: harness.source, shard: 0, node: 'data-b' } }],
  });
  expect(await Promise.all(waiting)).toEqual(['written']);
  for (let pass = 0; (await harness.record()).phase !== 'PREPARING_TARGET' && pass < 20; pass++)
    await harness.advance();
  expect((await attempts(harness)).at(-1)).toMatchObject({
    outcome: 'undone',
    reason: expect.stringContaining('was written to under the write hold') as unknown,
  });
  expect(await settingsOfSource(cluster, harness)).toEqual(settings);
  harness.passTime(6000);
  await completes(started);
});

test.each(['cancelled', 'going on'])(
  'copies are taken away in the hold, and the source waited for two: %s',
  async (how) => {
    const { harness } = await start('data-a');
    const put = (settings: object) => cluster.send('PUT', `/${harness.source}/_settings`, settings);
    await put({ 'index.write.wait_for_active_shards': '2' });
    await caughtUp.arrive(harness);
    await put({ 'index.number_of_replicas': 0 });
    if (how === 'cancelled') await harness.cancel();
    await harness.runUntil(how === 'cancelled' ? 'CANCELLED' : 'COMPLETED');
    const settings = await settingsOfSource(cluster, harness);
    expect(settings).not.toHaveProperty(['index.write.wait_for_active_shards']);
    expect(settings).not.toHaveProperty(['index.routing.allocation.enable']);
  },
);
