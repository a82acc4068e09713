import { describeCutover } from '@aosc/domain';
import { ClusterError } from '@aosc/engine';
import { borrowCluster, type Cluster } from '../races/support/cluster';
import { createBarrier } from '../races/support/faults';
import type { Harness } from '../races/support/harness';
import { createPair, someDocuments } from '../races/support/pairs';
import { expectSourceServes, expectSwapped, guarded } from './support/ends';
import { caughtUp, holds } from './support/hold-moments';
import { settingsOfSource, write } from './support/waiting-writes';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

const call = { signal: new AbortController().signal };

async function arrive(): Promise<Harness> {
  const harness = await createPair(cluster, {
    ...guarded,
    shards: [2, 2],
    documents: someDocuments(80),
    holds,
    options: { maxPauseMs: 30_000 },
  });
  await caughtUp.arrive(harness);
  return harness;
}

/** The attempt is undone, and the next one comes. */
async function isUndoneAndCompletes(harness: Harness, reason: string): Promise<void> {
  for (let pass = 0; (await harness.record()).phase !== 'PREPARING_TARGET' && pass < 20; pass++)
    await harness.advance();
  expect(describeCutover(await harness.record(), Date.now())?.attempts).toEqual([
    expect.objectContaining({ outcome: 'undone', reason: expect.stringContaining(reason) as unknown }),
  ]);
  await expectSourceServes(cluster, harness);
  harness.passTime(6000);
  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
}

test.each([
  { 'index.number_of_replicas': '3' },
  { 'index.write.wait_for_active_shards': '1' },
  { 'index.routing.allocation.enable': 'primaries' },
])('what another client sets in the hold stays, and undoes the attempt: %j', async (settings) => {
  const harness = await arrive();
  await cluster.ports.index(harness.source).settings.put(settings, call);
  await isUndoneAndCompletes(harness, 'has changed the settings of the write hold');
  await harness.expectExact();
  expect(await settingsOfSource(cluster, harness)).toMatchObject(settings);
});

test('a write that runs at the block is waited for, whatever the clock of its node says', async () => {
  const harness = await arrive();
  const endsAtLook = 6;
  let looks = 0;
  const end = await harness.runUntil('COMPLETED', {
    source: {
      tasks: (real) => ({
        async listWrites(...args) {
          const found = await real.listWrites(...args);
          looks += 1;
          // By a clock that stands still, all that runs has just begun.
          const runs = looks < endsAtLook && (looks === 1 || args[1] === undefined);
          // What comes after the block meets it, and is not waited for.
          const later = args[1] === undefined ? [`node:${looks} write`] : [];
          return { ...found, running: [...(runs ? ['node:0 write'] : []), ...later] };
        },
      }),
    },
  });
  expect(end).toMatchObject({ phase: 'COMPLETED' });
  expect(looks).toBe(endsAtLook);
  await expectSwapped(cluster, harness);
});

test('where the proof fails, the target has its settings before the attempt is undone', async () => {
  const harness = await arrive();
  const barrier = createBarrier();
  let fail = (): void => undefined;
  const failed = new Promise<void>((resolve) => (fail = resolve));
  const ended: string[] = [];
  const step = harness
    .advance({
      source: {
        tasks: () => ({
          listWrites() {
            fail();
            return Promise.reject(new ClusterError('transient', 'a node is away'));
          },
        }),
      },
      target: {
        settings: (real) => ({
          async put(...args) {
            await barrier.pass();
            return real.put(...args);
          },
        }),
      },
    })
    .catch((error: unknown) => expect(String(error)).toContain('a node is away'))
    .then(() => ended.push('step'));
  await Promise.all([barrier.reached, failed]);
  // A step that ends with its proof has a few requests left.
  for (let look = 0; look < 50 && ended.length === 0; look++)
    expect(await write(cluster, harness, 'refused')).toBe('refused');
  expect(ended).toEqual([]);
  barrier.open();
  await step;
  harness.passTime(31_000);
  await isUndoneAndCompletes(harness, 'for longer than');
  await expectSwapped(cluster, harness);
});
