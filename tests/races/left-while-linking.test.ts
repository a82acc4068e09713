import { systemIndex } from '@aosc/store';
import { homeOfPrimary } from '../support/allocation';
import { allocate, complete, expectUntouched, makeTarget, targetOf } from './support/files';
import type { Harness } from './support/harness';
import { type LeavingNode, startLeavingNode } from './support/leaving-node';
import { someSource } from './support/pairs';

jest.setTimeout(600_000);

/** The primaries of the source are on a node that goes away, or they go away from it, while their files are linked. */
let world: LeavingNode;
beforeAll(async () => {
  world = await startLeavingNode();
  await world.cluster.send('PUT', '/_cluster/settings', {
    transient: { 'cluster.routing.rebalance.enable': 'none' },
  });
});
beforeEach(() => world.comeBack());
afterEach(async () => {
  await world.comeBack();
  await allocate(world.cluster, 'all');
});
afterAll(() => world.cluster.stop());

/** The source has its primary on `data-a`, and a replica on `data-b`. The target gets none while it is filled. */
async function startPair(replicas = 1): Promise<Harness> {
  const harness = await world.startPair(
    'source',
    {},
    {
      shards: [1, 2],
      byFiles: true,
      options: { transientTargetSettings: { 'index.refresh_interval': '-1', 'index.number_of_replicas': 0 } },
    },
  );
  if (replicas === 0) await setSource(harness, { 'index.number_of_replicas': 0 });
  return harness;
}

const setSource = ({ source }: Harness, settings: object) =>
  world.cluster.send('PUT', `/${source}/_settings`, settings);

async function writeSome(harness: Harness, from: number): Promise<void> {
  const { cluster } = world;
  for (let n = from; n < from + 20; n++)
    await cluster.put(harness.source, { id: `d${n}` }, someSource(`d${n}`));
  await cluster.remove(harness.source, { id: `d${from + 30}` });
  await cluster.put(harness.source, { id: `late${from}` }, someSource('late'));
}

/** By hand, wherever the cluster itself would have them. */
async function move({ source }: Harness, to: string): Promise<void> {
  const command = { index: source, shard: 0, from_node: to === 'data-b' ? 'data-a' : 'data-b', to_node: to };
  await world.cluster.send('POST', '/_cluster/reroute?metric=none', { commands: [{ move: command }] });
  await untilOn(source, to);
}

const untilOn = (source: string, node: string): Promise<void> =>
  world.waitFor(`the primary on ${node}`, async () => {
    return (await homeOfPrimary(world.cluster.http, source, 0)) === node;
  });

test('a primary that moves before its files are linked: each document is copied over them', async () => {
  const harness = await startPair(0);
  await makeTarget(world.cluster, harness);
  await writeSome(harness, 0);
  await move(harness, 'data-b');
  await writeSome(harness, 60);
  await allocate(world.cluster, 'all');
  await harness.prepare();
  await complete(harness);
  expect(harness.events).toContain('files_copied_over');
});

test('a primary that moves after that and comes back: likewise', async () => {
  const harness = await startPair(0);
  await makeTarget(world.cluster, harness);
  await allocate(world.cluster, 'all');
  await harness.prepare();
  await writeSome(harness, 0);
  await move(harness, 'data-b');
  await writeSome(harness, 60);
  await move(harness, 'data-a');
  await complete(harness);
  expect(harness.events).toContain('files_copied_over');
});

test('a node that leaves before its files are linked: those of the replica are, and each document is copied over them', async () => {
  const harness = await startPair();
  await makeTarget(world.cluster, harness);
  await writeSome(harness, 0);
  await world.sendAway(harness.source);
  await writeSome(harness, 60);
  await allocate(world.cluster, 'all');
  await harness.prepare();
  await world.comeBack();
  await complete(harness);
  expect(harness.events).toContain('files_copied_over');
});

describe('a node that leaves with the links', () => {
  test('and comes back: the target is red until then, and comes out exact', async () => {
    const harness = await startPair();
    await makeTarget(world.cluster, harness);
    await allocate(world.cluster, 'all');
    await harness.prepare();
    await writeSome(harness, 0);
    await world.sendAway(harness.source);
    await writeSome(harness, 60);
    await world.comeBack();
    await complete(harness);
    expect(harness.events).toContain('files_copied_over');
  });

  test('while its shards start: the migration says which ones wait, and goes on when it is back', async () => {
    const harness = await startPair();
    const { target } = harness;
    await makeTarget(world.cluster, harness);
    await allocate(world.cluster, 'all');
    await world.waitFor('the shards', async () =>
      /^(STARTED\s*)+$/.test(await world.cluster.text('GET', `/_cat/shards/${target}?h=state`)),
    );
    await world.sendAway(harness.source);
    harness.passTime(11_000);
    await harness.advance();
    expect(JSON.stringify((await harness.record()).waits)).toMatch(/\d of 2 primaries of target index/);
    await world.comeBack();
    await harness.prepare();
    await complete(harness);
  });

  test('for good: a cancel takes the red target away', async () => {
    const harness = await startPair();
    await makeTarget(world.cluster, harness);
    await allocate(world.cluster, 'all');
    await harness.prepare();
    await world.sendAway(harness.source);
    await harness.cancel();
    expect((await harness.runUntil('CANCELLED')).phase).toBe('CANCELLED');
    expect(await targetOf(world.cluster, harness)).toBeUndefined();
    await expectUntouched(world.cluster, harness);
  });
});

async function expectOtherHistory(harness: Harness): Promise<void> {
  const { phase, errorMessage } = await harness.runUntil('COMPLETED');
  expect({ phase, errorMessage }).toEqual({
    phase: 'FAILED',
    errorMessage: expect.stringContaining('the source is not the one whose files were linked') as unknown,
  });
  expect(await targetOf(world.cluster, harness)).toBeUndefined();
  await expectUntouched(world.cluster, harness);
}

test('an empty primary that is allocated by force fails the migration, and takes its target away', async () => {
  const harness = await startPair(0);
  const { source } = harness;
  await makeTarget(world.cluster, harness);
  await allocate(world.cluster, 'all');
  await harness.prepare();
  world.away.pause();
  await world.untilMembers(2);
  const command = { index: source, shard: 0, node: 'data-b', accept_data_loss: true };
  await world.cluster.send('POST', '/_cluster/reroute?metric=none', {
    commands: [{ allocate_empty_primary: command }],
  });
  await untilOn(source, 'data-b');
  await world.comeBack();
  await expectOtherHistory(harness);
});

test('a stale primary that is allocated by force after the resize: likewise', async () => {
  const harness = await startPair();
  const { source } = harness;
  const [, , stale] = world.cluster.nodes;
  if (stale === undefined) throw new Error('the cluster has no third node');
  // What comes back stays as it was.
  await setSource(harness, { 'index.routing.allocation.enable': 'primaries' });
  stale.pause();
  try {
    await world.untilMembers(2);
    await writeSome(harness, 0);
  } finally {
    stale.resume();
    await world.untilMembers(3);
    await world.untilGreen(systemIndex);
  }
  await makeTarget(world.cluster, harness);
  await allocate(world.cluster, 'all');
  await harness.prepare();
  await writeSome(harness, 60);
  world.away.pause();
  await world.untilMembers(2);
  const command = { index: source, shard: 0, node: 'data-b', accept_data_loss: true };
  await world.cluster.send('POST', '/_cluster/reroute?metric=none', {
    commands: [{ allocate_stale_primary: command }],
  });
  await untilOn(source, 'data-b');
  await world.comeBack();
  await expectOtherHistory(harness);
});
