import { loadDocuments } from '@aosc/testkit';
import { type Cluster, startCluster } from '../races/support/cluster';
import { once } from '../races/support/faults';
import type { Harness } from '../races/support/harness';
import { createPair, someDocuments } from '../races/support/pairs';
import { count } from './support';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ nodes: 2 });
});
afterAll(() => cluster.stop());

const bySegments = { 'index.replication.type': 'SEGMENT' };

/** How fast replicas may fetch segments. */
async function limitFetching(bytesPerSecond: string | null): Promise<void> {
  await cluster.send('PUT', '/_cluster/settings', {
    transient: { 'indices.replication.max_bytes_per_sec': bytesPerSecond },
  });
}

async function createReplicated(shards: readonly [number, number]): Promise<Harness> {
  const harness = await createPair(cluster, {
    shards,
    documents: someDocuments(300),
    sourceSettings: { ...bySegments, 'index.number_of_replicas': 1 },
    targetSettings: bySegments,
    targetReplicas: 1,
  });
  const green = '_cluster/health?wait_for_status=green&timeout=60s';
  for (const index of [harness.source, harness.target]) {
    await cluster.send('GET', `/${green.replace('?', `/${index}?`)}`);
  }
  return harness;
}

/** Documents that no compression makes small. */
const heavy = someDocuments(150, 'late').map(({ id }, n) => ({
  id,
  source: JSON.stringify({
    text: Array.from({ length: 400 }, (_, k) => ((k + 1) * (n + 7) * 2654435761).toString(36)).join(''),
  }),
}));

test.each([{ shards: [2, 4] as const }, { shards: [2, 3] as const }])(
  "the swap waits until the target's replicas show what its primaries show, $shards",
  async ({ shards }) => {
    const harness = await createReplicated(shards);
    const loaded = someDocuments(60);
    await harness.backfill();
    await harness.expectExact();
    await cluster.removeAll(harness.alias, loaded.slice(0, 30));
    await loadDocuments(cluster.http, harness.alias, someDocuments(60).slice(30));
    await harness.round();
    await harness.expectExact();

    let writesAreBlocked = false;
    const writeMore = once(async () => {
      writesAreBlocked = true;
      await limitFetching('40kb');
      await loadDocuments(cluster.http, harness.alias, heavy);
    });
    const lagging: number[] = [];
    const shown: { primary: number; replica: number }[] = [];
    const countCopy = async (copy: string): Promise<number> => {
      const answer = await cluster.text('GET', `/${harness.target}/_count?preference=_${copy}`);
      return Number(/"count":(\d+)/.exec(answer)?.[1]);
    };
    try {
      const { phase, errorMessage } = await harness.runUntil('COMPLETED', {
        source: {
          settings: (real) => ({
            blockWrites: async (...args) => {
              await writeMore();
              return real.blockWrites(...args);
            },
          }),
        },
        target: {
          state: (real) => ({
            findLaggingCopies: async (...args) => {
              const found = await real.findLaggingCopies(...args);
              // Before the write block, the test counts only the copies that do not report their lag.
              if (writesAreBlocked) lagging.push(found.length);
              // that they lag has been seen
              if (writesAreBlocked && found.length > 0) await limitFetching(null);
              return found;
            },
          }),
        },
        aliases: (real) => ({
          update: async (actions, call) => {
            if (actions.some((action) => 'add' in action && action.add.alias === harness.alias)) {
              shown.push({ primary: await countCopy('primary'), replica: await countCopy('replica') });
            }
            return real.update(actions, call);
          },
        }),
      });
      expect({ phase, errorMessage }).toEqual({ phase: 'COMPLETED', errorMessage: undefined });
    } finally {
      await limitFetching(null);
    }
    expect(lagging[0]).toBeGreaterThan(0);
    expect(lagging.at(-1)).toBe(0);
    expect(shown).toEqual([{ primary: 420, replica: 420 }]);
    await harness.expectExact();
    expect(await count(cluster, harness.alias)).toBe(420);
  },
);
