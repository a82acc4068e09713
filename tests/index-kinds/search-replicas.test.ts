import { createParser } from '@aosc/contract';
import { createRandom, readIndexSettings } from '@aosc/testkit';
import { Type } from '@sinclair/typebox';
import { type Cluster, startCluster } from '../races/support/cluster';
import { createPair, type PairOptions, someDocuments, someSource } from '../races/support/pairs';
import { announced, beforeBlock } from '../phases/support/cutover-moments';
import { expectSourceServes } from '../phases/support/ends';
import type { Harness } from '../races/support/harness';

jest.setTimeout(900_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({
    remoteStore: true,
    heapMb: 512,
    nodes: [
      { roles: ['cluster_manager', 'data', 'ingest'] },
      { roles: ['data', 'ingest'] },
      { roles: ['search'] },
      { roles: ['search'] },
    ],
  });
});
afterAll(() => cluster.stop());

const parseCount = createParser('answer of _count', Type.Object({ count: Type.Integer() }));
const refreshInterval = 'index.refresh_interval';

/** What a search by the application finds now: nothing is refreshed for it. */
async function found(harness: Harness): Promise<number> {
  return parseCount(await cluster.send('GET', `/${harness.alias}/_count`)).count;
}

async function createSearched(
  { shards, searchReplicas, replicas, interval }: Shape,
  parts: Partial<PairOptions> = {},
): Promise<Harness> {
  const searched = {
    'index.number_of_search_replicas': searchReplicas,
    ...(interval !== undefined && { [refreshInterval]: interval }),
  };
  const harness = await createPair(cluster, {
    shards,
    documents: someDocuments(300),
    sourceSettings: { ...searched, 'index.number_of_replicas': replicas },
    targetSettings: searched,
    targetReplicas: replicas,
    options: { transientTargetSettings: { [refreshInterval]: '-1', 'index.number_of_replicas': 0 } },
    ...parts,
  });
  for (const index of [harness.source, harness.target]) {
    await cluster.send('GET', `/_cluster/health/${index}?wait_for_status=green&timeout=60s`);
  }
  return harness;
}

interface Shape {
  readonly shards: readonly [number, number];
  readonly searchReplicas: number;
  readonly replicas: number;
  /** of the refreshes; undefined: the default */
  readonly interval: string | undefined;
}

const seed = Number(process.env['SEARCH_REPLICAS_SEED'] ?? 11);
const random = createRandom(seed);
const draw = <T>(...choices: readonly T[]): T => {
  const choice = choices[random.below(choices.length)];
  if (choice === undefined) throw new Error('nothing to choose from');
  return choice;
};
/** Each interval once: by it search replicas fetch what they lack, and by -1 never. */
const shapes = (['30s', '10s', '-1', undefined] as const).map((interval): Shape => ({
  shards: draw<Shape['shards']>([1, 1], [2, 4], [2, 3], [4, 2]),
  searchReplicas: draw(1, 2),
  replicas: draw(0, 1),
  interval,
}));

test.each(shapes.map((shape) => [JSON.stringify(shape), shape] as const))(
  `a search right after the swap finds all, %s, seed ${seed}`,
  async (_, shape) => {
    const harness = await createSearched(shape);
    await harness.backfill();
    await cluster.removeAll(harness.alias, someDocuments(60));
    await harness.round();
    const atSwap: number[] = [];
    const end = await harness.runUntil('COMPLETED', {
      ...beforeBlock(async () => {
        await cluster.removeAll(harness.alias, someDocuments(80).slice(60));
        for (const { id } of someDocuments(15, 'late'))
          await cluster.put(harness.alias, { id }, someSource(id));
      }),
      aliases: (real) => ({
        async update(actions, call) {
          const update = await real.update(actions, call);
          if (actions.some((action) => 'add' in action && action.add.alias === harness.alias))
            // Searches go to one search replica after the other.
            for (let n = 0; n < 6; n++) atSwap.push(await found(harness));
          return update;
        },
      }),
    });
    expect(end).toMatchObject({ phase: 'COMPLETED' });
    expect(atSwap).toEqual(Array.from({ length: 6 }, () => 300 - 80 + 15));
    await harness.expectExact();
    expect((await readIndexSettings(cluster.http, harness.target))[refreshInterval]).toBe(shape.interval);
  },
);

describe('while the cutover is near', () => {
  const shape: Shape = { shards: [1, 2], searchReplicas: 1, replicas: 0, interval: '30s' };

  test('their interval is short, and a cancel gives it back', async () => {
    const harness = await createSearched(shape);
    const seen: (string | undefined)[] = [];
    await announced.arrive(cluster, harness);
    seen.push((await readIndexSettings(cluster.http, harness.target))[refreshInterval]);
    await harness.cancel();
    expect(await harness.runUntil('CANCELLED')).toMatchObject({ phase: 'CANCELLED' });
    seen.push((await readIndexSettings(cluster.http, harness.target))[refreshInterval]);
    expect(seen).toEqual(['201ms', '30s']);
  });

  test('a cluster that allows no short interval has them wait for theirs', async () => {
    const limit = (value: string | null) =>
      cluster.send('PUT', '/_cluster/settings', {
        persistent: { 'cluster.minimum.index.refresh_interval': value },
      });
    const harness = await createSearched(
      { ...shape, interval: '2s' },
      { options: { transientTargetSettings: {} } },
    );
    const atSwap: number[] = [];
    await limit('1s');
    try {
      const end = await harness.runUntil('COMPLETED', {
        aliases: (real) => ({
          async update(actions, call) {
            const update = await real.update(actions, call);
            if (actions.some((action) => 'add' in action && action.add.alias === harness.alias))
              atSwap.push(await found(harness));
            return update;
          },
        }),
      });
      expect(end).toMatchObject({ phase: 'COMPLETED' });
    } finally {
      await limit(null);
    }
    expect(harness.events).toContain('search_replicas_slow');
    expect(atSwap).toEqual([300]);
  });

  test('those that show less under the block are waited for, and status and end say so', async () => {
    const harness = await createSearched(shape, { timing: { guardMs: 60_000 } });
    // Nothing is fetched any more: the last round brings a document that no search replica shows.
    await harness.runUntil(
      'COMPLETING',
      beforeBlock(async () => {
        await cluster.put(harness.alias, { id: 'last' }, someSource('last'));
        await cluster.send('PUT', `/${harness.target}/_settings`, { [refreshInterval]: '-1' });
      }),
    );
    harness.passTime(2000);
    await harness.advance();
    const text = expect.stringMatching(
      /^target shard \[\d\]: a search replica shows less than its/,
    ) as string;
    expect(await harness.record()).toMatchObject({
      phase: 'COMPLETING',
      waits: [{ reason: 'target', text }],
    });
    harness.passTime(130_000);
    expect(await harness.runUntil('COMPLETED')).toMatchObject({
      phase: 'FAILED',
      errorMessage: expect.stringMatching(
        /lasted longer than 120000 ms.* it waited for: target shard \[\d\]: a search replica shows less/,
      ) as string,
    });
    await expectSourceServes(cluster, harness);
  });
});
