import { createParser } from '@aosc/contract';
import { ClusterError, type FilesPort } from '@aosc/engine';
import { createClient, createClusterPorts, type OpenSearchClient } from '@aosc/opensearch';
import { createHold, type HttpFaultProxy, startHttpFaultProxy } from '@aosc/testkit';
import { Type } from '@sinclair/typebox';
import { type Cluster, startCluster } from './support/cluster';
import { drive } from './support/drive';
import type { Faults } from './support/faults';
import { complete, expectUntouched, pairByFiles, targetOf } from './support/files';
import type { Harness } from './support/harness';
import { type PairOptions, someDocuments } from './support/pairs';

jest.setTimeout(600_000);

/** On the way of the requests about files, and of no other. */
let proxy: HttpFaultProxy;
let client: OpenSearchClient;
let cluster: Cluster;
/** the merges that were asked for: once more where a busy cluster does not answer within a second */
const asked: string[] = [];
const undo: (() => void)[] = [];

beforeAll(async () => {
  cluster = await startCluster({ nodes: 2 });
  // A shard that moves while it is merged takes what it was along.
  await cluster.send('PUT', '/_cluster/settings', {
    transient: { 'cluster.routing.rebalance.enable': 'none' },
  });
  proxy = await startHttpFaultProxy(cluster.urls[0] ?? '');
  proxy.addRule(({ path }) => {
    if (path.includes('/_forcemerge')) asked.push(path);
    return undefined;
  });
  client = createClient({ nodes: [proxy.url] });
});
beforeEach(() => asked.splice(0));
afterEach(() => undo.splice(0).forEach((each) => each()));
afterAll(async () => {
  await client.close();
  await proxy.stop();
  await cluster.stop();
});

const call = { signal: new AbortController().signal };

/** A target that is to have a replica of each shard. */
const startPair = (parts: Partial<PairOptions> = {}): Promise<Harness> =>
  pairByFiles(cluster, {
    shards: [1, 2],
    // Of an odd number less than half is deleted in one of the two shards, and no merge of OpenSearch's own drops it.
    documents: someDocuments(401),
    sourceSettings: { 'index.number_of_replicas': 1, 'index.merge.policy.deletes_pct_allowed': 50 },
    ...parts,
    options: {
      transientTargetSettings: { 'index.refresh_interval': '-1', 'index.number_of_replicas': 0 },
      ...parts.options,
    },
  });

/** @param spoil what becomes of requests about files */
function through(harness: Harness, spoil: (real: FilesPort) => Partial<FilesPort> = () => ({})): Faults {
  const { files } = createClusterPorts(client).index(harness.target);
  return { target: { files: () => ({ ...files, ...spoil(files) }) } };
}

/** Until the target is to get its replicas. */
const prepare = (harness: Harness, faults = through(harness)) =>
  drive(harness, {
    faults,
    isOver: async () => {
      const { targetRestored, phase } = await harness.record();
      return targetRestored || phase === 'FAILED';
    },
    maxLooks: 1000,
    pauseMs: 20,
  });

const stageOf = async (harness: Harness) => (await harness.record()).files?.merge;

const parseCopies = createParser(
  'answer of _stats',
  Type.Object({
    indices: Type.Record(
      Type.String(),
      Type.Object({
        shards: Type.Record(
          Type.String(),
          Type.Array(
            Type.Object({
              routing: Type.Object({ primary: Type.Boolean() }),
              docs: Type.Object({ deleted: Type.Integer() }),
            }),
          ),
        ),
      }),
    ),
  }),
);

/** Deleted documents in the copies of the target. */
async function deletedIn({ target }: Harness) {
  await cluster.send('POST', `/${target}/_refresh`);
  const { indices } = parseCopies(await cluster.send('GET', `/${target}/_stats/docs?level=shards`));
  const copies = Object.values(indices[target]?.shards ?? {}).flat();
  const of = (wanted: boolean) =>
    copies
      .filter(({ routing }) => routing.primary === wanted)
      .map(({ docs }) => docs.deleted)
      .toSorted((a, b) => a - b);
  return { primaries: of(true), replicas: of(false) };
}

const nothing = { primaries: [0, 0], replicas: [0, 0] };

test('a split gets its replicas without the documents of sibling shards', async () => {
  const harness = await startPair();
  await prepare(harness);
  expect([...new Set(asked)]).toEqual([`/${harness.target}/_forcemerge?only_expunge_deletes=true`]);
  await complete(harness);
  expect(await deletedIn(harness)).toEqual(nothing);
  expect(await stageOf(harness)).toBe('over');
});

test('with merge_before_replicas: false the cluster is asked for no merge, and replicas have them as well', async () => {
  const harness = await startPair({ options: { mergeBeforeReplicas: false } });
  await prepare(harness);
  await complete(harness);
  expect(asked).toEqual([]);
  expect((await deletedIn(harness)).replicas.at(-1)).toBeGreaterThan(0);
});

test.each([
  { what: 'a clone', parts: { shards: [1, 1] } },
  { what: 'a split without replicas', parts: { sourceSettings: {} } },
] as const)('$what is not merged', async ({ parts }) => {
  const harness = await startPair(parts);
  await prepare(harness);
  await complete(harness);
  expect(asked).toEqual([]);
  expect(await stageOf(harness)).toBeUndefined();
});

describe('a scheduler that dies', () => {
  test.each(['before', 'after'])('%s the merge: the next one asks for it', async (moment) => {
    const harness = await startPair();
    const dying = through(harness, (real) => ({
      expungeDeletes: async (each) => {
        if (moment === 'after') await real.expungeDeletes(each);
        throw new Error('killed');
      },
    }));
    await expect(prepare(harness, dying)).rejects.toThrow('killed');
    expect(await stageOf(harness)).toBe('begun');
    await prepare(harness);
    expect(asked.length).toBeGreaterThanOrEqual(moment === 'after' ? 2 : 1);
    await complete(harness);
    expect(await deletedIn(harness)).toEqual(nothing);
  });

  test.each([
    { what: 'isAskedFor', of: true, told: 0 },
    { what: 'documents', of: 77, told: 77 },
  ])('while a merge runs ($what): the next one asks for none, and says so', async ({ what, of, told }) => {
    const harness = await startPair();
    let isRunning = true;
    const running = through(harness, (real) => ({
      readMerging: async (each) => {
        const told = await real.readMerging(each);
        return isRunning ? { ...told, [what]: of } : told;
      },
    }));
    const waits = async () => JSON.stringify((await harness.record()).waits);
    const saysSo = async () => (await waits()).includes(`merged away: ${told} documents are in merges`);
    await drive(harness, {
      faults: running,
      isOver: async () => (await stageOf(harness)) === 'begun',
      maxLooks: 1000,
      pauseMs: 20,
    });
    harness.passTime(11_000);
    await drive(harness, { faults: running, isOver: saysSo, maxLooks: 100, pauseMs: 20 });
    expect(asked).toEqual([]);
    isRunning = false;
    await prepare(harness, running);
    expect(asked).not.toEqual([]);
    expect(await waits()).not.toContain('merged away');
    await complete(harness);
    expect(await deletedIn(harness)).toEqual(nothing);
  });
});

test('a merge that does not end at once is asked for once, whatever applications write meanwhile', async () => {
  const harness = await startPair();
  let asks = 0;
  let looks = 0;
  const lasting = through(harness, (real) => ({
    expungeDeletes: async (each) => {
      asks += 1;
      await real.expungeDeletes(each);
      return 'running';
    },
    readMerging: async (each) => {
      looks += asks;
      const told = await real.readMerging(each);
      return { ...told, isAskedFor: told.isAskedFor || looks === 1 };
    },
  }));
  await prepare(harness, lasting);
  expect(asks).toBe(1);
  expect(looks).toBeGreaterThan(1);
  await complete(harness);
  expect(await deletedIn(harness)).toEqual(nothing);
});

test('an answer that is lost: the cluster is asked again, and has nothing left to do', async () => {
  const harness = await startPair();
  undo.push(
    proxy.addRule(({ path }) =>
      path.includes('/_forcemerge') && asked.length === 1
        ? { after: () => Promise.resolve('cut') }
        : undefined,
    ),
  );
  await prepare(harness);
  expect(asked.length).toBeGreaterThanOrEqual(2);
  await complete(harness);
  expect(await deletedIn(harness)).toEqual(nothing);
});

describe('the migration does without the merge', () => {
  test.each([
    ['/_forcemerge', 403],
    ['/_forcemerge', 400],
    ['/_forcemerge', 404],
    ['/_tasks', 403],
    // A disk that is full fails the merge at once, and with it the shard. To ask again would fail both again, for hours.
    ['/_forcemerge', 200],
  ])('where %s is answered with %i', async (path, status) => {
    const harness = await startPair();
    const body = JSON.stringify({ _shards: { total: 2, successful: 1, failed: 1 } });
    undo.push(proxy.addRule((each) => (each.path.includes(path) ? { answer: { status, body } } : undefined)));
    await prepare(harness);
    expect(harness.events.filter((event) => event === 'merge_given_up')).toHaveLength(1);
    await complete(harness);
    expect(harness.events.filter((event) => event === 'merge_given_up')).toHaveLength(1);
  });

  test.each(['lasts longer', 'does not answer'])('when it %s than the target may take', async (what) => {
    const harness = await startPair({ options: { targetReadyTimeoutSeconds: 60 } });
    const slow = through(harness, (real) => ({
      readMerging: async (each) => {
        if (what !== 'lasts longer') throw new ClusterError('transient', 'no answer');
        return { ...(await real.readMerging(each)), isAskedFor: true };
      },
    }));
    const isBegun = async () => (await stageOf(harness)) === 'begun';
    await drive(harness, { faults: slow, isOver: isBegun, maxLooks: 1000, pauseMs: 20 });
    harness.passTime(61_000);
    await prepare(harness, slow);
    expect(asked).toEqual([]);
    expect(harness.events).toContain('merge_given_up');
    await complete(harness);
  });
});

test('a cancel waits for no merge, and takes the target away', async () => {
  const harness = await startPair();
  const hold = createHold<'deliver'>();
  undo.push(
    () => hold.release('deliver'),
    proxy.addRule(({ path }) => (path.includes('/_forcemerge') ? { after: hold.wait } : undefined)),
  );
  await drive(harness, {
    faults: through(harness),
    isOver: () => Promise.resolve(hold.isReached()),
    maxLooks: 1000,
    pauseMs: 20,
  });
  await harness.cancel();
  expect((await harness.runUntil('CANCELLED')).phase).toBe('CANCELLED');
  expect(await targetOf(cluster, harness)).toBeUndefined();
  await expectUntouched(cluster, harness);
});

test('the cluster tells of a merge that runs, and not of those of other indices', async () => {
  const [merged, other] = [cluster.name('merged'), cluster.name('other')];
  for (const index of [merged, other])
    await cluster.send('PUT', `/${index}`, { settings: { number_of_shards: 10, number_of_replicas: 0 } });
  const isAskedFor = async (index: string) =>
    (await cluster.ports.index(index).files.readMerging(call)).isAskedFor;
  expect(await isAskedFor(merged)).toBe(false);
  let isOver = false;
  const mergeOn = async (): Promise<void> => {
    while (!isOver) await cluster.send('POST', `/${merged}/_forcemerge`);
  };
  const merges = Array.from({ length: 10 }, mergeOn);
  try {
    let isSeen = false;
    for (let looks = 0; looks < 200 && !isSeen; looks++) {
      isSeen = await isAskedFor(merged);
      expect(await isAskedFor(other)).toBe(false);
    }
    expect(isSeen).toBe(true);
  } finally {
    isOver = true;
    await Promise.all(merges);
  }
  expect(await isAskedFor(merged)).toBe(false);
});
