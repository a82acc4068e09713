import { blockAlias, describeCutover } from '@aosc/domain';
import { createSourceIndex } from '@aosc/testkit';
import { borrowCluster, type Cluster } from '../races/support/cluster';
import type { Harness } from '../races/support/harness';
import { createPair, type PairOptions, someDocuments, someSource } from '../races/support/pairs';
import { expectSourceServes, expectSwapped, expectUndone, guarded } from './support/ends';
import { atPut, caughtUp, held, holdMoments, holds, unansweredHold } from './support/hold-moments';
import { removePast, settingsOfSource, write, writeAndWait, writePast } from './support/waiting-writes';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

const call = { signal: new AbortController().signal };
const create = (parts: Partial<PairOptions> = {}) =>
  createPair(cluster, { ...guarded, shards: [2, 2], documents: someDocuments(80), holds, ...parts });

const attempts = async (harness: Harness) =>
  describeCutover(await harness.record(), Date.now())?.attempts ?? [];

async function completes(harness: Harness): Promise<void> {
  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  await harness.advance();
  await expectSwapped(cluster, harness);
}

/** The attempt is undone, and the next one comes. */
async function isUndoneAndCompletes(harness: Harness, reason: string): Promise<void> {
  for (let passes = 0; (await harness.record()).phase !== 'PREPARING_TARGET' && passes < 20; passes++) {
    await harness.advance();
    for (const { kind, shard } of harness.takeDue()) await harness.job(kind, shard);
  }
  expect((await attempts(harness)).at(-1)).toMatchObject({
    outcome: 'undone',
    reason: expect.stringContaining(reason) as unknown,
    writeHoldMs: expect.any(Number) as unknown,
  });
  await expectSourceServes(cluster, harness);
  harness.passTime(6000);
  await completes(harness);
}

describe.each(holdMoments)('$when', ({ arrive, isHeld, mayBeBlocked }) => {
  test('the next scheduler goes on to the swap, and a waiting write is refused once at most', async () => {
    const harness = await create();
    await arrive(harness);
    const waiting = isHeld ? await writeAndWait(cluster, harness, 'waits') : [];
    await completes(harness);
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => 'refused'));
    expect(await write(cluster, harness, 'waits')).toBe('written');
    expect(await attempts(harness)).toEqual([
      expect.objectContaining({ outcome: 'swapped', writeHoldMs: expect.any(Number) as unknown }),
    ]);
  });

  test('a cancel gives everything back', async () => {
    const harness = await create();
    await arrive(harness);
    const waiting = isHeld ? await writeAndWait(cluster, harness, 'waits') : [];
    await harness.cancel();
    expect(await harness.runUntil('CANCELLED')).toMatchObject({ phase: 'CANCELLED' });
    await harness.advance();
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => 'written'));
    await expectUndone(cluster, harness);
  });

  test('a hold that lasts too long is given up, and no write is refused', async () => {
    const harness = await create({ options: { maxPauseMs: 30_000 } });
    await arrive(harness);
    const waiting = isHeld ? await writeAndWait(cluster, harness, 'waits') : [];
    harness.passTime(61_000);
    await isUndoneAndCompletes(harness, 'for longer than');
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => 'written'));
    expect(mayBeBlocked).toBe((await attempts(harness))[0]?.blockedMs !== undefined);
  });
});

test('a write that does not wait, before the last rounds, is in the target', async () => {
  const harness = await create();
  await held.arrive(harness);
  await writePast(cluster, harness, 'passes');
  await completes(harness);
});

test('after the last rounds it undoes the attempt, and is copied by the next one', async () => {
  const harness = await create();
  await caughtUp.arrive(harness);
  await writePast(cluster, harness, 'd3');
  await removePast(cluster, harness, 'd4');
  await isUndoneAndCompletes(harness, 'was written to under the write hold');
});

test('right before the block as well', async () => {
  const harness = await create();
  await caughtUp.arrive(harness);
  await harness.advance(
    atPut('block', async (put) => {
      await writePast(cluster, harness, 'passes');
      await put();
    }),
  );
  expect(await harness.record()).toMatchObject({ phase: 'PREPARING_TARGET', undoneCount: 1 });
  await isUndoneAndCompletes(harness, 'was written to under the write hold');
});

test('a hold that lands after its attempt is given back', async () => {
  const harness = await create();
  await held.arrive(harness);
  const { writeHold } = await harness.record();
  harness.passTime(61_000);
  await harness.advance();
  expect(await harness.record()).toMatchObject({ phase: 'PREPARING_TARGET', writeHold: { givenBack: true } });
  await cluster.ports.index(harness.source).settings.put(writeHold?.put ?? {}, call);
  const waiting = await writeAndWait(cluster, harness, 'waits');
  await harness.advance();
  expect(await Promise.all(waiting)).toEqual(['written']);
  harness.passTime(6000);
  await completes(harness);
});

test('what another client has set meanwhile stays', async () => {
  const harness = await create();
  await held.arrive(harness);
  await cluster.ports
    .index(harness.source)
    .settings.put({ 'index.routing.allocation.enable': 'primaries' }, call);
  await harness.cancel();
  await harness.runUntil('CANCELLED');
  const described = await cluster.ports.index(harness.source).state.describe(call);
  expect(described?.settings).toMatchObject({
    'index.routing.allocation.enable': 'primaries',
    'index.number_of_replicas': '0',
  });
  expect(described?.settings).not.toHaveProperty(['index.write.wait_for_active_shards']);
});

test.each([
  ['the replicas follow the nodes', { 'index.auto_expand_replicas': '0-1' }, 'index.auto_expand_replicas'],
  ['the source is write-blocked already', { 'index.blocks.write': true }, 'had a write block before'],
])('where %s the block comes alone, and the status says why', async (_, settings, reason) => {
  const harness = await create();
  await cluster.ports.index(harness.source).settings.put(settings, call);
  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  await harness.expectExact();
  const cutover = describeCutover(await harness.record(), Date.now());
  expect(cutover).toMatchObject({
    withoutHold: expect.stringContaining(reason) as unknown,
    attempts: [expect.not.objectContaining({ writeHoldMs: expect.any(Number) as unknown })],
  });
});

test('settings of its own are what the source has afterwards', async () => {
  const harness = await create({
    sourceSettings: {
      'index.routing.allocation.enable': 'new_primaries',
      'index.write.wait_for_active_shards': '1',
    },
  });
  await completes(harness);
});

test('new writes go through after a hold where the cluster takes the replicas of the source no more', async () => {
  const harness = await create();
  await held.arrive(harness);
  const awareness = 'cluster.routing.allocation.awareness';
  // Each of two zones must have as many copies as the other, and the source has had one.
  const balanced = {
    [`${awareness}.attributes`]: 'zone',
    [`${awareness}.force.zone.values`]: 'a,b',
    [`${awareness}.balance`]: true,
  };
  const unset = Object.fromEntries(Object.keys(balanced).map((name) => [name, null]));
  await cluster.send('PUT', '/_cluster/settings', { transient: balanced });
  try {
    await harness.cancel();
    expect(await harness.runUntil('CANCELLED')).toMatchObject({ phase: 'CANCELLED' });
    await cluster.put(harness.alias, { id: 'after-the-hold' }, someSource('after-the-hold'));
    const described = await cluster.ports.index(harness.source).state.describe(call);
    expect(described?.settings).toMatchObject({ 'index.number_of_replicas': '1' });
    expect(described?.settings).not.toHaveProperty(['index.write.wait_for_active_shards']);
    expect(described?.settings).not.toHaveProperty(['index.routing.allocation.enable']);
  } finally {
    await cluster.send('PUT', '/_cluster/settings', { transient: unset });
  }
  await cluster.ports.index(harness.source).settings.put({ 'index.number_of_replicas': 0 }, call);
  await harness.advance();
  await expectUndone(cluster, harness);
});

test('a cluster that refuses the hold gets the block alone', async () => {
  const harness = await create();
  await cluster.send('PUT', '/_cluster/settings', { transient: { 'cluster.max_shards_per_node': 1 } });
  try {
    expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  } finally {
    await cluster.send('PUT', '/_cluster/settings', { transient: { 'cluster.max_shards_per_node': null } });
  }
  await harness.advance();
  await expectSwapped(cluster, harness);
  expect(describeCutover(await harness.record(), Date.now())?.withoutHold).toContain('maximum');
});

test('after three holds in vain the block comes alone, where the start has set no longest pause', async () => {
  const harness = await create();
  for (const restMs of [6000, 16_000, 61_000]) {
    await unansweredHold.arrive(harness);
    harness.passTime(61_000);
    await harness.advance();
    expect(await harness.record()).toMatchObject({ phase: 'PREPARING_TARGET' });
    harness.passTime(restMs);
  }
  await completes(harness);
  expect(describeCutover(await harness.record(), Date.now())?.withoutHold).toContain('3 attempts');
});

test('a pause that is predicted to be longer than a hold may be: the block comes alone', async () => {
  const harness = await create({ holds: { ...holds, maxHoldMs: 200 } });
  await harness.backfill();
  for (const id of ['d1', 'd2', 'd3', 'd4']) await write(cluster, harness, id);
  expect(
    await harness.runUntil('COMPLETED', {
      source: {
        snapshots: (real) => ({
          async open(...args) {
            harness.passTime(3000);
            const opened = await real.open(...args);
            // The next round has something to bring, up to the block.
            await write(cluster, harness, 'd1');
            return opened;
          },
        }),
      },
    }),
  ).toMatchObject({ phase: 'COMPLETED' });
  await harness.expectExact();
  expect(describeCutover(await harness.record(), Date.now())?.withoutHold).toContain('predicted to last');
});

test.each([
  ['hold', holds],
  ['block', { ...holds, holdWriters: false }],
])('a %s on an index that takes the name of the source in that very moment is taken back', async (_, own) => {
  const harness = await create({ holds: own });
  const mark = blockAlias(harness.key);
  let isRemade = false;
  const end = await harness.runUntil('COMPLETED', {
    aliases: (real) => ({
      async update(actions, ...rest) {
        if (!isRemade && actions.some((action) => 'add' in action && action.add.alias === mark)) {
          isRemade = true;
          await cluster.send('DELETE', `/${harness.source}`);
          await createSourceIndex(cluster.http, { name: harness.source, alias: harness.alias, shards: 2 });
        }
        return real.update(actions, ...rest);
      },
    }),
  });
  expect(isRemade).toBe(true);
  expect(end).toMatchObject({ phase: 'FAILED', committed: false });
  expect(await cluster.ports.index(harness.source).settings.readWriteBlock(call)).toBe('none');
  const settings = await settingsOfSource(cluster, harness);
  expect(settings).toMatchObject({ 'index.number_of_replicas': '0' });
  expect(settings).not.toHaveProperty(['index.write.wait_for_active_shards']);
  expect(settings).not.toHaveProperty(['index.routing.allocation.enable']);
});

test('a source that is closed in the hold has its settings back after a cancel', async () => {
  const harness = await create();
  const before = await settingsOfSource(cluster, harness);
  await held.arrive(harness);
  await cluster.send('POST', `/${harness.source}/_close?wait_for_active_shards=0`);
  await harness.cancel();
  expect(await harness.runUntil('CANCELLED')).toMatchObject({ phase: 'CANCELLED' });
  await cluster.send('POST', `/${harness.source}/_open`);
  expect(await settingsOfSource(cluster, harness)).toEqual(before);
});
