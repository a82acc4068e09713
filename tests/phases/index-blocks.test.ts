import { type Cluster, startCluster } from '../races/support/cluster';
import type { Harness } from '../races/support/harness';
import { createPair, someDocuments } from '../races/support/pairs';
import { expectSwapped, guarded } from './support/ends';

jest.setTimeout(600_000);

/** Longer than a phase lasts before the status says what it waits for. */
const noticedMs = 12_000;
/** Until then the cutover is put off. */
const later = 3_600_000;

let cluster: Cluster;
/** Its indices may give up their primaries. */
beforeAll(async () => {
  cluster = await startCluster({
    remoteStore: true,
    nodes: [{ roles: ['cluster_manager', 'data', 'ingest'] }, { roles: ['search'], heapMb: 512 }],
  });
});
afterAll(() => cluster.stop());

const set = (index: string, settings: object) => cluster.send('PUT', `/${index}/_settings`, settings);
const block = (name: 'source' | 'target', setting: string) => ({
  put: (harness: Harness) => set(harness[name], { [setting]: true }),
  take: (harness: Harness) => set(harness[name], { [setting]: null }),
  text: `is blocked by [${setting}]; remove the block first`,
});
const scale = ({ target }: Harness, isSearchOnly: boolean) =>
  cluster.send('POST', `/${target}/_scale`, { search_only: isSearchOnly });
const blocks = {
  'a source that is read-only': block('source', 'index.blocks.read_only'),
  'a source that can not be read': block('source', 'index.blocks.read'),
  'a target that takes no writes': block('target', 'index.blocks.write'),
  'a target without primaries': {
    put: (harness: Harness) => scale(harness, true),
    take: async (harness: Harness) => {
      await scale(harness, false);
      await cluster.send('GET', `/_cluster/health/${harness.target}?wait_for_status=green&timeout=60s`);
    },
    text: 'has no primaries ([index.blocks.search_only] is set); give them back first, with POST',
  },
};

/** Lets the scheduler look for a while. @returns what the record waits for by then */
async function waitsOf(harness: Harness): Promise<unknown> {
  await harness.advance();
  harness.passTime(noticedMs);
  await harness.advance();
  const { phase, waits } = await harness.record();
  return { phase, texts: waits.map(({ text }) => text) };
}

test.each(Object.entries(blocks))(
  '%s in the middle of a migration is in the status at once, in each phase before the cutover',
  async (_, { put, take, text }) => {
    const harness = await createPair(cluster, {
      ...guarded,
      shards: [1, 2],
      documents: someDocuments(50),
      targetSettings: { 'index.number_of_search_replicas': 1 },
      convergedRestMs: 60_000,
      options: { cutoverNotBefore: new Date(Date.now() + later).toISOString() },
    });
    await harness.backfill();
    const texts = [expect.stringContaining(text)];
    await put(harness);
    expect(await waitsOf(harness)).toEqual({ phase: 'ACTIVE', texts });
    await take(harness);
    await harness.advance();
    expect((await harness.record()).waits).toEqual([]);

    await harness.round();
    await harness.runUntil('PREPARING_TARGET');
    for (let looks = 0; looks < 3; looks++) await harness.advance();
    await put(harness);
    expect(await waitsOf(harness)).toEqual({ phase: 'PREPARING_TARGET', texts });
    await take(harness);
    await harness.advance();
    expect((await harness.record()).waits).toEqual([]);
    harness.passTime(later);
    expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
    await expectSwapped(cluster, harness);
  },
);
