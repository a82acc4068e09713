import { shardOf } from '@aosc/domain';
import { borrowCluster, type Cluster } from './support/cluster';
import type { Harness } from './support/harness';
import { createPair, routingShards, someDocuments, someSource } from './support/pairs';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

const routings = Array.from({ length: 200 }, (_, n) => `r${n}`);
const homeOf = (routing: string, shardCount: number): number =>
  shardOf({ id: 'x', routing }, { shardCount, routingShardCount: routingShards, partitionSize: 1 });

/** How two routings relate: do both lead to one shard of the source, and of the target? */
interface Relation {
  readonly name: string;
  readonly sameSource: boolean;
  readonly sameTarget: boolean;
}

const relations: readonly Relation[] = [
  { name: 'same-same', sameSource: true, sameTarget: true },
  { name: 'same-other', sameSource: true, sameTarget: false },
  { name: 'other-same', sameSource: false, sameTarget: true },
  { name: 'other-other', sameSource: false, sameTarget: false },
];

interface Pair extends Relation {
  readonly routings: readonly [string, string];
}

/** Two routings for each relation that there is between so many shards. */
function findPairs([from, to]: readonly [number, number]): readonly Pair[] {
  return relations.flatMap((relation) => {
    for (const first of routings) {
      const second = routings.find(
        (routing) =>
          routing !== first &&
          (homeOf(routing, from) === homeOf(first, from)) === relation.sameSource &&
          (homeOf(routing, to) === homeOf(first, to)) === relation.sameTarget,
      );
      if (second !== undefined) return [{ ...relation, routings: [first, second] as const }];
    }
    return [];
  });
}

/** An application gives a document another routing. In one shard that overwrites it; in two it takes a delete. */
async function reroute(harness: Harness, id: string, from: string, to: string, sameShard: boolean) {
  if (!sameShard) await cluster.remove(harness.source, { id, routing: from });
  await cluster.put(harness.source, { id, routing: to }, someSource(id));
}

test.each<{ shards: readonly [number, number]; found: number }>([
  { shards: [2, 2], found: 2 },
  { shards: [2, 4], found: 3 },
  { shards: [2, 3], found: 4 },
])('routings changed by an overwrite are exact, $shards', async ({ shards, found }) => {
  const pairs = findPairs(shards);
  expect(pairs).toHaveLength(found);
  const harness = await createPair(cluster, { shards, documents: someDocuments(40) });
  // `once` changes between two snapshots, `back` there and back, `late` in the round that also updates it.
  for (const {
    name,
    routings: [routing],
  } of pairs) {
    for (const id of ['once', 'back', 'late']) {
      await cluster.put(harness.source, { id: `${id}-${name}`, routing }, someSource(id));
    }
  }
  await harness.backfill();

  for (const {
    name,
    sameSource,
    routings: [r1, r2],
  } of pairs) {
    for (const id of ['once', 'back']) await reroute(harness, `${id}-${name}`, r1, r2, sameSource);
  }
  await harness.round();
  await harness.expectExact();

  for (const {
    name,
    sameSource,
    routings: [r1, r2],
  } of pairs) {
    await reroute(harness, `back-${name}`, r2, r1, sameSource);
    await cluster.put(harness.source, { id: `late-${name}`, routing: r1 }, someSource(name));
    await reroute(harness, `late-${name}`, r1, r2, sameSource);
  }
  await harness.round();
  await harness.expectExact();

  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  await harness.expectExact();
});
