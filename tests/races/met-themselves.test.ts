import { createTargetIndex, createSourceIndex } from '@aosc/testkit';
import { borrowCluster, type Cluster } from './support/cluster';
import type { Faults } from './support/faults';
import { createHarness, type Harness } from './support/harness';
import { findMeetingRoutings } from './support/meeting-routings';
import { createPair, type PairOptions, routingShards, someDocuments, someSource } from './support/pairs';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

/**
 * What a coordinating node does when the primary dies below a bulk that has been applied: it sends the same items to the
 * next primary, and answers with what came of that.
 */
const repeated: Faults = {
  target: {
    writes: (real) => ({
      bulk: async (fence, items, call) => {
        await real.bulk(fence, items, call);
        return real.bulk(fence, items, call);
      },
    }),
  },
};

const rewriting: NonNullable<PairOptions['transform']> = {
  record: { source: "ctx._id = 'new-' + ctx._id", rewritesIdentity: true },
  expected: (document) => ({ ...document, id: `new-${document.id}` }),
};

test.each<{ shards: readonly [number, number]; transform?: PairOptions['transform'] }>([
  { shards: [2, 2] },
  { shards: [1, 2] },
  { shards: [1, 3] },
  { shards: [2, 3] },
  { shards: [1, 3], transform: rewriting },
  { shards: [2, 2], transform: rewriting },
])(
  'documents of a bulk that the cluster repeats by itself meet themselves, $shards',
  async ({ shards, transform }) => {
    const harness = await createPair(cluster, {
      shards,
      documents: someDocuments(60),
      ...(transform && { transform }),
    });
    await harness.backfill(repeated);
    await cluster.put(harness.source, { id: 'new' }, someSource('new'));
    await cluster.put(harness.source, { id: 'd0' }, someSource('d0'));
    await harness.round(repeated);
    expect(await harness.runUntil('COMPLETED', repeated)).toMatchObject({ phase: 'COMPLETED' });
    await harness.expectExact();
  },
);

describe('two documents with one id in one shard that a `_shrink` made', () => {
  /** @param routings of the document `x` */
  async function createShrunk(routings: readonly string[], targetShards: number): Promise<Harness> {
    const origin = cluster.name('origin');
    const names = {
      source: cluster.name('source'),
      target: cluster.name('target'),
      alias: cluster.name('alias'),
    };
    await createSourceIndex(cluster.http, {
      name: origin,
      alias: cluster.name('old'),
      shards: 2,
      routingShards,
    });
    for (const { id, source } of someDocuments(30)) await cluster.put(origin, { id }, source);
    for (const routing of routings) await cluster.put(origin, { id: 'x', routing }, someSource('x'));
    await cluster.send('PUT', `/${origin}/_settings`, { 'index.blocks.write': true });
    await cluster.send('PUT', `/${origin}/_shrink/${names.source}?wait_for_active_shards=1`, {
      settings: { 'index.number_of_shards': 1, 'index.number_of_replicas': 0, 'index.blocks.write': null },
      aliases: { [names.alias]: {} },
    });
    await createTargetIndex(cluster.http, { name: names.target, shards: targetShards, routingShards });
    return createHarness(cluster, names);
  }

  test.each([
    { bulks: 'once', faults: undefined },
    { bulks: 'twice', faults: repeated },
  ])('fail the copy when they fall into one target shard, each bulk sent $bulks', async ({ faults }) => {
    const harness = await createShrunk(findMeetingRoutings('x', [2, 1], [0, 1]), 1);
    await expect(harness.backfill(faults)).rejects.toThrow(
      /documents met another one in their place in the target: .*\[x\]/,
    );
  });

  test('are no reason to fail when each has a target shard of its own, although the cluster repeats bulks', async () => {
    const [first, second] = findMeetingRoutings('x', [2, 1], [0, 1]);
    const harness = await createShrunk([first, second], 2);
    await harness.backfill(repeated);
    expect(harness.events).toContain('documents_met_themselves');
    expect(await harness.runUntil('COMPLETED', repeated)).toMatchObject({ phase: 'COMPLETED' });
    await harness.expectExact();
  });
});
