import { type Cluster, type DocumentName, putOnceForgotten, startCluster } from '../races/support/cluster';
import { createPair, someDocuments, someSource } from '../races/support/pairs';
import { expectCompleted } from './support';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());

const all = <T>(list: readonly T[], work: (each: T) => Promise<unknown>): Promise<unknown> =>
  Promise.all(list.map(work));

test('versions counted by OpenSearch, external ones, and external_gte with the same version again', async () => {
  const harness = await createPair(cluster, { shards: [2, 4], documents: someDocuments(60) });
  const { alias } = harness;
  const external: readonly DocumentName[] = [
    { id: 'small', version: 1 },
    { id: 'large', version: '4611686018427387904' },
    { id: 'beyond 2^53', version: '9007199254740993' },
    { id: 'largest', version: '9223372036854775806' },
  ];
  const same: readonly DocumentName[] = ['gte-0', 'gte-1', 'gte-2', 'gte-3'].map((id) => ({
    id,
    version: '9007199254740993',
    versionType: 'external_gte',
  }));
  const write = (document: DocumentName) => cluster.put(alias, document, someSource(document.id));
  await all([...external, ...same], write);
  await harness.backfill();
  await harness.expectExact();

  // the same version with another content: only the number of the operation shows it
  await all(same, write);
  await all([1, 2, 3], (n) => cluster.put(alias, { id: `d${n}` }, someSource('counted')));
  await harness.round();
  await harness.expectExact();

  await all(same, write);
  await all(['small', 'beyond 2^53'], (id) => cluster.put(alias, { id, version: '9007199254740995' }, '{}'));
  await expectCompleted(harness);
});

test('deletes with versions', async () => {
  const harness = await createPair(cluster, { shards: [2, 3], documents: someDocuments(60) });
  const { alias } = harness;
  const ids = Array.from({ length: 30 }, (_, n) => `v${n}`);
  await all(ids, (id) => cluster.put(alias, { id, version: 100 }, someSource(id)));
  await harness.backfill();
  await all(ids.slice(0, 10), (id) => cluster.remove(alias, { id, version: 5_000_000_000 }));
  await all(ids.slice(10, 20), (id) =>
    cluster.remove(alias, { id, version: 100, versionType: 'external_gte' }),
  );
  await harness.round();
  await harness.expectExact();
  // made again above the delete's version, within its memory
  await all(ids.slice(0, 5), (id) => cluster.put(alias, { id, version: 5_000_000_001 }, someSource(id)));
  await all(ids.slice(20), (id) => cluster.remove(alias, { id, version: '9007199254740993' }));
  await expectCompleted(harness);
});

describe('lives with ever lower versions, once the source has forgotten the delete', () => {
  const lives = [70, 30, 3, 1] as const;
  const ids = Array.from({ length: 6 }, (_, n) => `life-${n}`);

  /** Ends the lives of before; the next ones begin as soon as `index.gc_deletes` has passed. */
  async function beginLife(index: string, life: number, version: number): Promise<void> {
    const last = lives[life - 1];
    if (last !== undefined) await all(ids, (id) => cluster.remove(index, { id, version: last + 1 }));
    await all(ids, (id) => putOnceForgotten(cluster, index, { id, version }, someSource(id)));
  }

  const create = () =>
    createPair(cluster, {
      shards: [1, 2],
      documents: someDocuments(40),
      sourceSettings: { 'index.gc_deletes': '0s' },
    });

  test('each in a round of its own, long after the backfill', async () => {
    const harness = await create();
    await harness.backfill();
    for (let round = 0; round < 5; round++) {
      await cluster.put(harness.alias, { id: 'd0' }, someSource('d0'));
      await harness.round();
    }
    for (const [life, version] of lives.entries()) {
      await beginLife(harness.alias, life, version);
      await harness.round();
      await harness.expectExact();
    }
    await expectCompleted(harness);
  });

  test('all within one round', async () => {
    const harness = await create();
    await beginLife(harness.alias, 0, lives[0]);
    await harness.backfill();
    for (const [life, version] of lives.entries())
      if (life > 0) await beginLife(harness.alias, life, version);
    await harness.round();
    await harness.expectExact();
    await expectCompleted(harness);
  });

  test('the last of them between the last round and the write block', async () => {
    const harness = await create();
    await beginLife(harness.alias, 0, lives[0]);
    await beginLife(harness.alias, 1, lives[1]);
    let struck = false;
    const { phase } = await harness.runUntil('COMPLETED', {
      source: {
        settings: (real) => ({
          blockWrites: async (...args) => {
            if (!struck) {
              struck = true;
              await beginLife(harness.alias, 2, lives[2]);
            }
            return real.blockWrites(...args);
          },
        }),
      },
    });
    expect(phase).toBe('COMPLETED');
    await harness.expectExact();
  });
});
