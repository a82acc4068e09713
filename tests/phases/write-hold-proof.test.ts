import { describeCutover } from '@aosc/domain';
import { type Cluster, startCluster } from '../races/support/cluster';
import type { Harness } from '../races/support/harness';
import { createPair, someDocuments } from '../races/support/pairs';
import { expectSourceServes, expectSwapped, guarded } from './support/ends';
import { caughtUp, holds } from './support/hold-moments';
import { settingsOfSource } from './support/waiting-writes';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());

const call = { signal: new AbortController().signal };

async function arrive(): Promise<Harness> {
  const harness = await createPair(cluster, {
    ...guarded,
    shards: [2, 2],
    documents: someDocuments(80),
    holds,
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
