import { createTargetIndex, loadDocuments } from '@aosc/testkit';
import { type Cluster, startCluster } from '../races/support/cluster';
import { createHarness, type Harness } from '../races/support/harness';
import { createPair, routingShards, someDocuments, someSource } from '../races/support/pairs';
import { count, expectCompleted } from './support';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());

const loaded = someDocuments(300);

/** A source that `_split` or `_clone` has made of an index with deletes and updates. (`_shrink`: tests/races.) */
async function createFrom(way: '_split' | '_clone', shards: readonly [number, number]): Promise<Harness> {
  const origin = await createPair(cluster, { shards: [2, 2], documents: loaded });
  await cluster.removeAll(origin.alias, loaded.slice(0, 50));
  await loadDocuments(cluster.http, origin.alias, someDocuments(120).slice(60));
  const names = {
    source: cluster.name('source'),
    target: cluster.name('target'),
    alias: cluster.name('alias'),
  };
  await cluster.send('PUT', `/${origin.source}/_settings`, { 'index.blocks.write': true });
  await cluster.send('PUT', `/${origin.source}/${way}/${names.source}?wait_for_active_shards=1`, {
    settings: { 'index.number_of_shards': shards[0], 'index.blocks.write': null },
    aliases: { [names.alias]: {} },
  });
  await createTargetIndex(cluster.http, { name: names.target, shards: shards[1], routingShards });
  return createHarness(cluster, names);
}

test.each([
  { way: '_split', shards: [4, 4] },
  { way: '_split', shards: [4, 8] },
  { way: '_split', shards: [4, 3] },
  { way: '_clone', shards: [2, 2] },
  { way: '_clone', shards: [2, 4] },
] as const)('a source made by $way, $shards', async ({ way, shards }) => {
  const harness = await createFrom(way, shards);
  await harness.backfill();
  await harness.expectExact();
  await cluster.removeAll(harness.alias, loaded.slice(50, 100));
  await loadDocuments(cluster.http, harness.alias, someDocuments(140).slice(100));
  await harness.round();
  await harness.expectExact();
  await cluster.removeAll(harness.alias, loaded.slice(100, 120));
  await cluster.put(harness.alias, { id: 'd0' }, someSource('d0'));
  await expectCompleted(harness);
  expect(await count(cluster, harness.target)).toBe(loaded.length - 119);
});

test('sparse numbers: each document was updated 50 times', async () => {
  const documents = someDocuments(80);
  const harness = await createPair(cluster, { shards: [2, 4], documents });
  for (let n = 0; n < 50; n++) await loadDocuments(cluster.http, harness.alias, someDocuments(80));
  await cluster.send('POST', `/${harness.source}/_forcemerge?max_num_segments=1`);
  await harness.backfill();
  const { documentCount = 0, maxSeqNo = 0 } = (await harness.shard(0)).snapshot ?? {};
  expect(maxSeqNo).toBeGreaterThan(40 * documentCount);
  await harness.expectExact();
  for (let n = 0; n < 50; n++) await loadDocuments(cluster.http, harness.alias, someDocuments(20));
  await cluster.removeAll(harness.alias, documents.slice(10, 30));
  await harness.round();
  await harness.expectExact();
  await expectCompleted(harness);
});

test('soft deletes that no merge has taken away, and a merge that takes them away meanwhile', async () => {
  const harness = await createPair(cluster, {
    shards: [1, 2],
    documents: loaded,
    sourceSettings: {
      'index.soft_deletes.retention.operations': 100_000,
      'index.merge.policy.deletes_pct_allowed': 50,
    },
  });
  const deletesKept = async (): Promise<number> => {
    const text = await cluster.text('GET', `/${harness.source}/_stats/docs?filter_path=_all.primaries.docs`);
    return Number(/"deleted":(\d+)/.exec(text)?.[1]);
  };
  await cluster.removeAll(harness.alias, loaded.slice(0, 100));
  await cluster.send('POST', `/${harness.source}/_refresh`);
  expect(await deletesKept()).toBeGreaterThanOrEqual(100);
  await harness.backfill();
  await harness.expectExact();
  await cluster.removeAll(harness.alias, loaded.slice(100, 200));
  await cluster.send('PUT', `/${harness.source}/_settings`, { 'index.soft_deletes.retention.operations': 0 });
  await cluster.send('POST', `/${harness.source}/_forcemerge?max_num_segments=1&flush=true`);
  await harness.round();
  await harness.expectExact();
  await cluster.removeAll(harness.alias, loaded.slice(200, 250));
  await expectCompleted(harness);
  expect(await count(cluster, harness.target)).toBe(50);
});
