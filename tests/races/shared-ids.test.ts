import { shardOf } from '@aosc/domain';
import { timeLimit } from '@aosc/signals';
import { borrowCluster, type Cluster } from './support/cluster';
import type { Harness } from './support/harness';
import { createPair, routingShards, someDocuments, someSource } from './support/pairs';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

const homeOf = (routing: string, shardCount: number): number =>
  shardOf({ id: 'x', routing }, { shardCount, routingShardCount: routingShards, partitionSize: 1 });

/** Routings of the source's shards 0 and 1 that meet in one shard of the target. */
function findMeeting([from, to]: readonly [number, number]): readonly [string, string] {
  const routings = Array.from({ length: 300 }, (_, n) => `r${n}`);
  for (const first of routings.filter((routing) => homeOf(routing, from) === 0)) {
    const second = routings.find(
      (routing) => homeOf(routing, from) === 1 && homeOf(routing, to) === homeOf(first, to),
    );
    if (second !== undefined) return [first, second];
  }
  throw new Error('no such pair of routings');
}

/** The alias stays on the source, and the source takes writes. */
async function expectBackOnSource(harness: Harness): Promise<void> {
  const call = { signal: timeLimit(30_000) };
  expect(await cluster.ports.aliases.indicesOf(harness.alias, call)).toEqual([harness.source]);
  await cluster.put(harness.alias, { id: 'after' }, someSource('after'));
}

async function start(shards: readonly [number, number]) {
  const [r1, r2] = findMeeting(shards);
  const harness = await createPair(cluster, { shards, documents: someDocuments(60) });
  const write = (routing: string): Promise<number> =>
    cluster.put(harness.source, { id: 'x', routing }, someSource(routing));
  return { harness, r1, r2, write };
}

describe.each([{ shards: [3, 2] as const }, { shards: [2, 1] as const }])(
  'two documents of the source with one id in one target shard, $shards',
  ({ shards }) => {
    test('versions in rising order overwrite each other: the counts show it', async () => {
      const { harness, r1, r2, write } = await start(shards);
      await write(r1);
      await write(r2);
      const end = await harness.runUntil('COMPLETED');
      expect(end.phase).toBe('FAILED');
      expect(end.errorMessage).toMatch(/Doc count validation failed: source=62, target=61, diff=1/);
      await expectBackOnSource(harness);
    });

    test('a conflict between them is named, never ignored', async () => {
      const { harness, r1, r2, write } = await start(shards);
      // The shard that is copied first holds the higher version.
      for (let n = 0; n < 3; n++) await write(r1);
      await write(r2);
      const end = await harness.runUntil('COMPLETED');
      expect(end.phase).toBe('FAILED');
      expect(end.errorMessage).toMatch(/two documents of the source share the target id \[x\]/);
      await expectBackOnSource(harness);
    });

    test('an id that becomes shared during the replay is not lost in silence', async () => {
      const { harness, r1, r2, write } = await start(shards);
      await write(r1);
      await harness.backfill();
      await harness.round();
      await write(r2);
      await harness.round();
      const end = await harness.runUntil('COMPLETED');
      expect(end.phase).toBe('FAILED');
      expect(end.errorMessage).toMatch(/Doc count validation failed/);
      await expectBackOnSource(harness);
    });
  },
);
