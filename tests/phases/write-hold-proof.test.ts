import { type Cluster, startCluster } from '../races/support/cluster';
import type { Harness } from '../races/support/harness';
import { createPair, someDocuments } from '../races/support/pairs';
import { expectSwapped, guarded } from './support/ends';
import { caughtUp, holds } from './support/hold-moments';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());

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
