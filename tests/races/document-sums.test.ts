import { countFresh } from '@aosc/engine';
import { timeLimit } from '@aosc/signals';
import { borrowCluster, type Cluster } from './support/cluster';
import type { Harness } from './support/harness';
import { createPair, someDocuments, someSource } from './support/pairs';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

const call = { signal: timeLimit(240_000) };

async function runWith(
  shards: readonly [number, number],
  docCountTolerance: number,
  somebody: (harness: Harness) => Promise<void>,
): Promise<string> {
  const harness = await createPair(cluster, {
    shards,
    documents: someDocuments(40),
    options: { docCountTolerance },
  });
  await harness.runUntil('CATCHING_UP');
  await somebody(harness);
  const end = await harness.runUntil('COMPLETED');
  expect(end.phase).toBe('FAILED');
  expect(await cluster.ports.aliases.indicesOf(harness.alias, call)).toEqual([harness.source]);
  return end.errorMessage ?? '';
}

describe.each([
  {
    shards: [2, 2] as const,
    named: /documents of source shard \[[01]\] are missing: shard \[[01]\] of the target holds/,
  },
  {
    shards: [2, 4] as const,
    named: /documents of source shard \[[01]\] are missing: shards \[\d, \d\] of the target hold/,
  },
  { shards: [2, 3] as const, named: /documents are missing: the target holds 39 of the 40/ },
  { shards: [1, 3] as const, named: /documents are missing: the target holds 39 of the 40/ },
])('a document that a user takes from the target, $shards', ({ shards, named }) => {
  test('is missing, whatever the tolerance', async () => {
    const error = await runWith(shards, 5, (harness) => cluster.remove(harness.target, { id: 'd7' }));
    expect(error).toMatch(/^Doc count validation failed: source=40, target=39, diff=1, tolerance=5; /);
    expect(error).toMatch(named);
  });
});

test.each([[[2, 2]] as const, [[2, 4]] as const])(
  'is missing although another one is there too many: source shards are looked at each for itself, %j',
  async (shards) => {
    const error = await runWith(shards, 0, async (harness) => {
      await cluster.remove(harness.target, { id: 'd7' });
      const before = await countFresh(cluster.ports.index(harness.source), call);
      // Into a shard of the source other than that of the one taken away.
      for (let n = 0; ; n++) {
        const id = `stranger${n}`;
        await cluster.put(harness.target, { id }, someSource(id));
        await cluster.ports.index(harness.target).state.refresh(call);
        const held = await countFresh(cluster.ports.index(harness.target), call);
        const perSource = [...held].reduce<number[]>((sums, [shard, count]) => {
          const home = Math.floor(shard / (shards[1] / shards[0]));
          sums[home] = (sums[home] ?? 0) + count;
          return sums;
        }, []);
        if (perSource.some((count, shard) => count > (before.get(shard) ?? 0))) return;
        await cluster.remove(harness.target, { id });
      }
    });
    expect(error).toMatch(
      /^Doc count validation failed: source=40, target=40, diff=0, tolerance=0; documents of source shard/,
    );
  },
);
