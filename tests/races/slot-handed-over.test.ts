import { createParser } from '@aosc/contract';
import { Type } from '@sinclair/typebox';
import { borrowCluster, type Cluster } from './support/cluster';
import { createPair } from './support/pairs';
import { transformed } from './support/transformed';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

const bySlot = transformed('ctx._id = ctx._source.slot', ({ routing, source: body }) => ({
  id: String(body['slot']),
  routing,
  source: body,
}));
const source = (n: number, slot: string): string => JSON.stringify({ n, slot });

const parseShards = createParser(
  'answer of _search_shards',
  Type.Object({ shards: Type.Array(Type.Array(Type.Object({ shard: Type.Integer() }))) }),
);

/** @returns the first number that makes an id of this shard together with the prefix */
async function findIn(index: string, prefix: string, shard: number): Promise<number> {
  for (let n = 0; n < 20; n++) {
    const path = `/${index}/_search_shards?routing=${prefix}-${n}`;
    const [[first] = []] = parseShards(await cluster.send('GET', path)).shards;
    if (first?.shard === shard) return n;
  }
  throw new Error(`none of them is in shard ${shard}`);
}

/**
 * As when rows are imported again under ids of OpenSearch's own: deleted, and made under another id, each in its
 * version 1. The shard of the deleted one can't distinguish the new one from its own, and the tolerance is for
 * documents of others.
 */
test.each([0, 1])(
  'a target id goes from a document of one source shard to one of another: nothing is lost without a word, tolerance %i',
  async (docCountTolerance) => {
    const documents = Array.from({ length: 20 }, (_, n) => ({
      id: `old-${n}`,
      source: source(n, `slot-${n}`),
    }));
    const harness = await createPair(cluster, {
      shards: [2, 1],
      documents,
      transform: bySlot,
      options: { docCountTolerance },
    });
    const leaves = await findIn(harness.source, 'old', 0);
    const takes = await findIn(harness.source, 'new', 1);
    await harness.backfill();
    await harness.round();
    await cluster.remove(harness.source, { id: `old-${leaves}` });
    await cluster.put(harness.source, { id: `new-${takes}` }, source(100, `slot-${leaves}`));
    // The document that takes the place comes first.
    await harness.job('replay', 1);
    await harness.job('replay', 0);
    const { phase, errorMessage } = await harness.runUntil('COMPLETED');
    expect(phase).toBe('FAILED');
    expect(errorMessage).toContain(
      "documents are missing: the target holds 19 of the 20 that the source's shards had at the end",
    );
  },
);

/** The tolerance is for the other writer's document, which takes the place of the lost one in every sum. */
test.each([1, 2])(
  'documents with one id, and one of another writer: not swapped, %i source shards',
  async (sourceShards) => {
    const documents = Array.from({ length: 20 }, (_, n) => ({
      id: `old-${n}`,
      source: source(n, `slot-${n}`),
    }));
    const harness = await createPair(cluster, {
      shards: [sourceShards, 1],
      documents,
      transform: bySlot,
      options: { docCountTolerance: 1 },
    });
    const taken = await findIn(harness.source, 'old', 0);
    const other = await findIn(harness.source, 'new', sourceShards - 1);
    await cluster.put(harness.source, { id: `new-${other}` }, source(100, `slot-${taken}`));
    await harness.advance();
    await cluster.put(harness.target, { id: 'somebody-else' }, source(200, 'none'));
    const { phase, errorMessage } = await harness.runUntil('COMPLETED');
    expect(phase).toBe('FAILED');
    expect(errorMessage).toContain('documents met another one in their place in the target');
  },
);
