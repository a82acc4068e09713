import { shardOf } from '@aosc/domain';
import { type Cluster, startCluster } from './support/cluster';
import { createPair, someDocuments } from './support/pairs';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  // Who takes another shard for a document's asks another node.
  cluster = await startCluster({ nodes: 2 });
});
afterAll(() => cluster.stop());

const virtual = (shards: number): Record<string, number> => ({ 'index.number_of_virtual_shards': shards });

test.each([
  { name: 'of the source', shards: [4, 3], sourceSettings: virtual(8) },
  { name: 'of the target', shards: [3, 4], targetSettings: virtual(8) },
  { name: 'of both', shards: [2, 4], sourceSettings: virtual(8), targetSettings: virtual(8) },
] as const)(
  'virtual shards $name: deletes and updates find their documents',
  async ({ name: _name, ...pair }) => {
    const documents = someDocuments(200);
    const harness = await createPair(cluster, { ...pair, documents });
    const call = { signal: new AbortController().signal };
    const { shape } = await cluster.ports.index(harness.source).state.readRouting(call);
    await harness.backfill();
    await cluster.removeAll(harness.source, documents.slice(0, 60));
    await harness.round();
    // Only documents of one shard: only its round has deletes.
    const ofFirst = documents.slice(60).filter(({ id }) => shardOf({ id, routing: undefined }, shape) === 0);
    await cluster.removeAll(harness.source, ofFirst.slice(0, 5));
    const { phase, errorMessage } = await harness.runUntil('COMPLETED');
    expect({ phase, errorMessage }).toEqual({ phase: 'COMPLETED', errorMessage: undefined });
    await harness.expectExact();
  },
);
