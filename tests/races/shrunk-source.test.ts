import { createRandom, createSourceIndex, createTargetIndex, loadDocuments } from '@aosc/testkit';
import { borrowCluster, type Cluster } from './support/cluster';
import { createHarness, type Harness } from './support/harness';
import { routingShards, someDocuments, someSource } from './support/pairs';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

const idsOf = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, n) => `d${from + n}`);

/** An index whose two shards were made by `_shrink` of eight: each `_seq_no` belongs to up to four documents. */
async function createShrunkPair(targetShards: number): Promise<Harness> {
  const origin = cluster.name('origin');
  const names = {
    source: cluster.name('source'),
    target: cluster.name('target'),
    alias: cluster.name('alias'),
  };
  await createSourceIndex(cluster.http, {
    name: origin,
    alias: cluster.name('old'),
    shards: 8,
    routingShards,
  });
  await loadDocuments(cluster.http, origin, someDocuments(800));
  await Promise.all(idsOf(0, 60).map((id) => cluster.put(origin, { id }, someSource(id))));
  await Promise.all(idsOf(40, 80).map((id) => cluster.remove(origin, { id })));
  await cluster.send('PUT', `/${origin}/_settings`, { 'index.blocks.write': true });
  await cluster.send('PUT', `/${origin}/_shrink/${names.source}?wait_for_active_shards=1`, {
    settings: { 'index.number_of_shards': 2, 'index.number_of_replicas': 0, 'index.blocks.write': null },
    aliases: { [names.alias]: {} },
  });
  await createTargetIndex(cluster.http, { name: names.target, shards: targetShards, routingShards });
  return createHarness(cluster, names);
}

test.each([2, 4, 3])('a source made by _shrink goes exactly into %i shards', async (targetShards) => {
  const harness = await createShrunkPair(targetShards);
  await harness.backfill();
  const { documentCount = 0, maxSeqNo = 0 } = (await harness.shard(0)).snapshot ?? {};
  expect(documentCount).toBeGreaterThan(2 * maxSeqNo);
  await harness.expectExact();

  // Deletes and updates take some documents of a number and leave the others.
  const random = createRandom(targetShards);
  const changed = idsOf(80, 800).filter(() => random.below(6) === 0);
  await Promise.all(
    changed.map((id) =>
      random.below(2) === 0
        ? cluster.remove(harness.alias, { id })
        : cluster.put(harness.alias, { id }, someSource(id)),
    ),
  );
  await harness.round();
  await harness.expectExact();

  await cluster.remove(harness.alias, { id: 'd0' });
  await cluster.put(harness.alias, { id: 'd1' }, someSource('d1'));
  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  await harness.expectExact();
});
