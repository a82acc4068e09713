import { loadDocuments } from '@aosc/testkit';
import { borrowCluster, type Cluster } from '../races/support/cluster';
import type { Harness } from '../races/support/harness';
import { createPair, someDocuments } from '../races/support/pairs';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

const setCluster = (settings: Readonly<Record<string, unknown>>) =>
  cluster.send('PUT', '/_cluster/settings', { transient: settings });

describe('search pipelines that are an index’s default hide nothing and change nothing', () => {
  const pipeline = 'hides-and-renames';
  beforeAll(() =>
    cluster.send('PUT', `/_search/pipeline/${pipeline}`, {
      request_processors: [{ filter_query: { query: { term: { _id: 'd3' } } } }],
      response_processors: [
        { rename_field: { field: 'title', target_field: 'renamed', ignore_failure: true } },
      ],
    }),
  );
  afterAll(() => cluster.send('DELETE', `/_search/pipeline/${pipeline}`));

  /** The judge searches, too. */
  async function setPipeline(harness: Harness, value: string | null): Promise<void> {
    const indices = `${harness.source},${harness.target}`;
    await cluster.send('PUT', `/${indices}/_settings`, { 'index.search.default_pipeline': value });
  }

  test.each([{ shards: [2, 2] as const }, { shards: [2, 4] as const }, { shards: [3, 2] as const }])(
    '$shards',
    async ({ shards }) => {
      const documents = someDocuments(120);
      const harness = await createPair(cluster, { shards, documents });
      const expectExact = async (): Promise<void> => {
        await setPipeline(harness, null);
        await harness.expectExact();
        await setPipeline(harness, pipeline);
      };
      await setPipeline(harness, pipeline);
      await harness.backfill();
      await expectExact();
      await cluster.removeAll(harness.alias, documents.slice(0, 30));
      await loadDocuments(cluster.http, harness.alias, someDocuments(60).slice(20));
      await harness.round();
      await expectExact();
      const held = (await harness.shards()).map(({ snapshot }) => snapshot?.pitId);
      await cluster.send('DELETE', '/_search/point_in_time', { pit_id: held });
      await cluster.removeAll(harness.alias, documents.slice(90));
      await harness.round();
      await expectExact();
      const { phase, errorMessage } = await harness.runUntil('COMPLETED');
      expect({ phase, errorMessage }).toEqual({ phase: 'COMPLETED', errorMessage: undefined });
      await setPipeline(harness, null);
      await harness.expectExact();
    },
  );
});

test.each<Readonly<Record<string, string | number | boolean>>>([
  { 'search.default_search_timeout': '1ms' },
  { 'search.cancel_after_time_interval': '1ms' },
  { 'search.default_allow_partial_results': true },
  { 'search.low_level_cancellation': true, 'search.max_buckets': 30_000 },
])('defaults of the cluster make no answer shorter: %j', async (settings) => {
  const unset = Object.fromEntries(Object.keys(settings).map((name) => [name, null]));
  const documents = someDocuments(3000);
  const harness = await createPair(cluster, { shards: [1, 2], documents });
  try {
    await setCluster(settings);
    await harness.backfill();
    await cluster.removeAll(harness.alias, documents.slice(0, 1000));
    await harness.round();
    const { phase, errorMessage } = await harness.runUntil('COMPLETED');
    expect({ phase, errorMessage }).toEqual({ phase: 'COMPLETED', errorMessage: undefined });
  } finally {
    await setCluster(unset);
  }
  await harness.expectExact();
});
