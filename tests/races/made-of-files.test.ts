import { blockAlias } from '@aosc/domain';
import { callRaw } from '@aosc/testkit';
import { borrowCluster, type Cluster } from './support/cluster';
import type { Faults } from './support/faults';
import {
  allocate,
  blockOf,
  complete,
  makeTarget,
  pairByFiles,
  prepareTarget,
  targetOf,
} from './support/files';
import type { Harness } from './support/harness';
import { someDocuments, someSource } from './support/pairs';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

const call = { signal: new AbortController().signal };
const put = ({ source }: Harness, id: string) => cluster.put(source, { id }, someSource(id));
afterEach(() => allocate(cluster, 'all'));

describe('what applications do between the resize and the first snapshot is in the files or not, and comes out exact', () => {
  test.each([
    { name: 'split', shards: [2, 4] },
    { name: 'cloned', shards: [2, 2] },
    { name: 'split from one shard', shards: [1, 4] },
  ] as const)('$name', async ({ shards }) => {
    const harness = await pairByFiles(cluster, { shards, documents: someDocuments(400) });
    await makeTarget(cluster, harness);
    expect(await blockOf(cluster, harness)).toBe('none');
    const { source } = harness;
    const early = someDocuments(60, 'early');
    for (const { id } of early) await put(harness, id);
    for (let n = 0; n < 40; n++) await put(harness, `d${n}`);
    await cluster.removeAll(
      source,
      someDocuments(40).map(({ id }) => ({ id: id.replace('d', 'd1') })),
    );
    // Made again with a routing, which may lie in another shard.
    await cluster.put(source, { id: 'd100', routing: 'elsewhere' }, someSource('d100'));
    await prepareTarget(cluster, harness);
    // What was early is in the files by now, and changes once more.
    await cluster.removeAll(
      source,
      early.slice(0, 20).map(({ id }) => ({ id })),
    );
    for (const { id } of early.slice(20, 40)) await put(harness, id);
    await cluster.removeAll(
      source,
      someDocuments(20).map(({ id }) => ({ id: id.replace('d', 'd3') })),
    );
    await harness.backfill();
    expect(harness.events.filter((event) => event === 'files_followed')).toHaveLength(shards[0]);
    for (const { backfill, snapshot } of await harness.shards()) {
      expect(backfill?.documentsIndexed).toBe(snapshot?.documentCount);
    }
    await complete(harness);
  });

  test('a version that goes down', async () => {
    const harness = await pairByFiles(cluster, { shards: [1, 2], documents: [] });
    const write = (version: number) =>
      cluster.put(
        harness.source,
        { id: 'x', version, versionType: 'external_gte' },
        someSource(`x${version}`),
      );
    await write(70);
    await makeTarget(cluster, harness);
    await write(80);
    await write(80);
    await prepareTarget(cluster, harness);
    await cluster.remove(harness.source, { id: 'x' });
    await put(harness, 'y');
    await harness.backfill();
    await complete(harness);
  });
});

test('shards without documents', async () => {
  await complete(await pairByFiles(cluster, { shards: [4, 8], documents: someDocuments(3) }));
});

test('a worker that dies in the first round leaves the rest to the next one', async () => {
  const harness = await pairByFiles(cluster, {
    documents: someDocuments(300),
    pacing: { documentsPerBulk: 5, documentsPerPage: 25, concurrency: 1 },
  });
  await makeTarget(cluster, harness);
  for (let n = 0; n < 200; n++) await put(harness, `d${n}`);
  await prepareTarget(cluster, harness);
  for (let n = 100; n < 300; n++) await put(harness, `d${n}`);
  await cluster.removeAll(harness.source, [{ id: 'd1' }, { id: 'd2' }, { id: 'd150' }]);
  const kill = new AbortController();
  let bulks = 0;
  const dying: Faults = {
    target: {
      writes: (real) => ({
        bulk: async (...args) => {
          bulks += 1;
          if (bulks > 6) kill.abort(new Error('killed'));
          return real.bulk(...args);
        },
      }),
    },
  };
  await harness.job('backfill', 0, { faults: dying, kill: kill.signal });
  expect(bulks).toBeGreaterThan(6);
  await harness.job('backfill', 0, { takeOver: true });
  await complete(harness);
});

test('a snapshot that is lost in the first round: the shard is copied over what the files have brought', async () => {
  const harness = await pairByFiles(cluster, { documents: someDocuments(300) });
  await makeTarget(cluster, harness);
  for (let n = 0; n < 50; n++) await put(harness, `d${n}`);
  await allocate(cluster, 'all');
  let closes = 0;
  const losing: Faults = {
    source: {
      snapshots: (real) => ({
        readHeads: async (request, each) => {
          closes += 1;
          if (closes === 1) await real.close([request.pitId], each);
          return real.readHeads(request, each);
        },
      }),
    },
  };
  await harness.prepare();
  await cluster.removeAll(harness.source, [{ id: 'd1' }, { id: 'd200' }]);
  await harness.job('backfill', 0, { faults: losing });
  expect(harness.events).toContain('snapshot_lost');
  await complete(harness);
});

describe('the keys of a split are read after all shards have converged, and before the cutover', () => {
  const unread = async (harness: Harness) =>
    (await harness.shards()).map(({ uncheckedKeysFrom }) => uncheckedKeysFrom);

  test('until then the cutover waits, and says so', async () => {
    const harness = await pairByFiles(cluster);
    await harness.prepare();
    await harness.backfill();
    await harness.round();
    expect(await unread(harness)).toEqual([0, 0]);
    await harness.runUntil('PREPARING_TARGET');
    for (let told = ''; !told.includes('the keys of 0 of 2 shards are read: 0 % of all;');) {
      await harness.advance();
      const { phase, waits } = await harness.record();
      expect(phase).toBe('PREPARING_TARGET');
      told = JSON.stringify(waits);
    }
    await harness.round();
    expect(await unread(harness)).toEqual([undefined, undefined]);
    await complete(harness);
  });

  test('in parts, each of the snapshot that is there', async () => {
    const harness = await pairByFiles(cluster, { shards: [1, 2] });
    // Each takes a number.
    const body = `${JSON.stringify({ delete: { _id: 'absent' } })}\n`.repeat(130_000);
    for (let bulk = 0; bulk < 2; bulk++)
      await callRaw(cluster.http, { method: 'POST', path: `/${harness.source}/_bulk`, body });
    await put(harness, 'x\ufffd');
    await harness.prepare();
    await harness.backfill();
    await harness.runUntil('PREPARING_TARGET');
    await harness.round();
    expect(await unread(harness)).toEqual([250_000]);
    await put(harness, 'd1');
    const { phase, errorMessage } = await harness.runUntil('COMPLETED');
    expect(phase).toBe('FAILED');
    expect(errorMessage).toContain(
      'document [x\ufffd] of source shard [0] may have been written under another key',
    );
  });

  test('again from where a snapshot was lost', async () => {
    const harness = await pairByFiles(cluster, { shards: [1, 2] });
    await harness.prepare();
    await harness.backfill();
    await harness.runUntil('PREPARING_TARGET');
    let reads = 0;
    const losing: Faults = {
      source: {
        snapshots: (real) => ({
          readKeys: async (request, each) => {
            reads += 1;
            if (reads === 1) await real.close([request.pitId], each);
            return real.readKeys(request, each);
          },
        }),
      },
    };
    await expect(harness.job('replay', 0, { faults: losing })).resolves.toMatchObject({ type: 'again' });
    expect(harness.events).toContain('snapshot_lost');
    expect(await unread(harness)).toEqual([0]);
    await complete(harness);
  });
});

test('another primary since the files were linked: each document is copied over what they have brought', async () => {
  const harness = await pairByFiles(cluster, { documents: someDocuments(100) });
  const { target } = harness;
  const moved: Faults = {
    source: {
      state: (real) => ({
        readRouting: async (each) => {
          const { primaries, ...rest } = await real.readRouting(each);
          return { ...rest, primaries: primaries.map((one) => ({ ...one, allocationId: 'gone since' })) };
        },
      }),
    },
  };
  await makeTarget(cluster, harness, moved);
  await allocate(cluster, 'all');
  await cluster.send('GET', `/_cluster/health/${target}?wait_for_status=yellow`);
  // What a primary that is gone may have linked, and taken with it.
  const external = (id: string, version: number) => ({ id, version, versionType: 'external_gte' }) as const;
  await cluster.put(target, external('d1', 9), someSource('d1'));
  await cluster.put(target, external('d2', 1), someSource('d2'));
  await cluster.put(target, external('ghost', 1), someSource('ghost'));
  await cluster.remove(target, { id: 'd3' });
  await harness.backfill();
  expect(harness.events).toContain('files_copied_over');
  expect(harness.events).not.toContain('files_followed');
  await complete(harness);
});

test("a source that its user has blocked keeps its block until the cutover's end", async () => {
  const harness = await pairByFiles(cluster);
  await cluster.ports.index(harness.source).settings.put({ 'index.blocks.write': true }, call);
  await makeTarget(cluster, harness);
  expect(await blockOf(cluster, harness)).toBe('set');
  await allocate(cluster, 'all');
  const { writeBlock } = await harness.runUntil('COMPLETED');
  expect(writeBlock).toMatchObject({ usersOwn: true });
  await harness.expectExact();
});

test('nothing of ours is left on the source once the target is made', async () => {
  const harness = await pairByFiles(cluster);
  await makeTarget(cluster, harness);
  const described = await cluster.ports.index(harness.source).state.describe(call);
  expect(described?.aliases.has(blockAlias(harness.key))).toBe(false);
  expect((await harness.record()).writeBlock).toBeUndefined();
  await allocate(cluster, 'all');
  await harness.prepare();
  const settings = await cluster.text('GET', `/${harness.target}/_settings?flat_settings=true`);
  expect(settings).not.toContain('index.blocks.write');
  await complete(harness);
  expect([...((await targetOf(cluster, harness))?.aliases.keys() ?? [])]).toEqual([harness.alias]);
});
