import type { MigrationRecord, ShardRecord, VerificationRecord } from '@aosc/contract';
import { findWaiting, newShardRecord, newVerification } from '@aosc/domain';
import { ClusterError } from '../../ports/cluster-error';
import type {
  IndexHealth,
  IndexRouting,
  LaggingCopy,
  PrimaryCheckpoint,
  PrimaryRouting,
} from '../../ports/index-state-port';
import { ClearBench, createMigration, snapshot } from '../runner/__tests__/clear-bench';
import { BlockWatch } from '../step/block-watch';
import type { MigrationView, StepContext } from '../step/context';
import { ShardWatch } from '../step/shard-watch';
import { preparingTarget } from './preparing-target';

const writer = { epoch: 1, fenceReady: true, heartbeatAtMillis: 5 };
const converged: Partial<ShardRecord> = { phase: 'CONVERGED', snapshot, writer };
const entered = 2000;
const green: IndexHealth = { status: 'green', activeShards: 2, unassignedShards: 0 };
const yellow: IndexHealth = { ...green, status: 'yellow', activeShards: 1, unassignedShards: 1 };

function createRouting(primaries: readonly Pick<PrimaryRouting, 'shard' | 'state'>[]): IndexRouting {
  return { primaries, replication: 'segments' } as Partial<IndexRouting> as IndexRouting;
}

const checkpoint: PrimaryCheckpoint = {
  shard: 0,
  nodeId: 'n',
  state: 'STARTED',
  copiesAnswered: 1,
  maxSeqNo: 7,
  globalCheckpoint: 7,
  historyUuid: 'h',
};

/** A migration in PREPARING_TARGET that only waits; the test says for what. */
function createScene(shard: Partial<ShardRecord> = converged) {
  const bench = new ClearBench({}, shard);
  bench.holders = ['books'];
  const { cluster, ...context } = bench.context;
  const scene = {
    now: entered,
    health: yellow,
    explanation: undefined as string | undefined,
    maxSeqNo: 7,
    state: 'STARTED',
    /** of the target's shards */
    targetStates: ['STARTED', 'RELOCATING'],
    lagging: [] as readonly LaggingCopy[],
    targetSettings: {} as Readonly<Record<string, string>>,
    hasPrimary: true,
    flushError: undefined as Error | undefined,
    putError: undefined as Error | undefined,
    sourcePrimaries: [] as readonly PrimaryRouting[],
    sourceSettings: {} as Readonly<Record<string, string>>,
    isSnapshotLost: false,
    /** of the shard, when its record is read by itself */
    snapshotNow: snapshot.pitId,
    countWorkers: () => Promise.resolve(1),
    record: createMigration({
      phase: 'PREPARING_TARGET',
      targetRestored: true,
      targetReadyDeadlineMillis: 14_400_000,
      transitionHistory: [
        { phase: 'ACTIVE', startTimeMillis: 1000, endTimeMillis: entered },
        { phase: 'PREPARING_TARGET', startTimeMillis: entered },
      ],
    }),
    writes: 0,
    /** one for each read of it, and the last for all further ones */
    verifications: [] as readonly VerificationRecord[],
    /** of the shards of the view: how long their last rounds took */
    rounds: [] as readonly (number | undefined)[],
    /** of the shards of the view: the first number whose keys are to be read */
    unread: [] as readonly (number | undefined)[],
  };
  const warnings: string[] = [];
  const asked: string[] = [];
  const hurried: number[] = [];
  const source = cluster.index('books');
  const target = cluster.index('books2');
  const coordinator: StepContext = {
    ...context,
    clusterUuid: 'c',
    store: {
      ...context.store,
      readVerification: () => {
        const [record, ...rest] = scene.verifications;
        if (rest.length > 0) scene.verifications = rest;
        return Promise.resolve(record && { record, seqNo: 0, primaryTerm: 1 });
      },
      readShard: async (...args) => {
        const stored = await context.store.readShard(...args);
        const now = { ...snapshot, pitId: scene.snapshotNow };
        return stored && { ...stored, record: { ...stored.record, snapshot: now } };
      },
    },
    blocks: new BlockWatch(context.clock),
    liveness: {
      watch: new ShardWatch(() => scene.now),
      settings: () => ({ checkIntervalMs: 1000, timeoutMs: 1000, permits: 1 }),
      countWorkers: () => scene.countWorkers(),
      onOwnerLost: () => undefined,
    },
    timing: { requestTimeoutMs: 1000, guardMs: 0, writeBlockMaxMs: 1000, staleAfterMs: 1000 },
    jobs: {
      ensureShardJobs: (kind, _, places) => {
        asked.push(...places.map(({ shard }) => `${kind} of ${shard}`));
        return Promise.resolve();
      },
      dropShardJobs: () => Promise.resolve(),
      ensureVerifyJob: () => Promise.resolve(),
      hurryReplays: (_, shards) => {
        hurried.push(...shards);
        return Promise.resolve();
      },
      replaceShardJob: () => Promise.resolve(),
    },
    target: {
      ...target,
      state: {
        ...target.state,
        waitForGreen: () => Promise.resolve(scene.health),
        explainUnassigned: () => Promise.resolve(scene.explanation),
        readRouting: () =>
          Promise.resolve(createRouting(scene.targetStates.map((state, shard) => ({ shard, state })))),
        refresh: () => {
          asked.push('refresh');
          return Promise.resolve();
        },
        describe: async (call) => {
          const described = await target.state.describe(call);
          return described && { ...described, settings: { ...described.settings, ...scene.targetSettings } };
        },
        findLaggingCopies: () => Promise.resolve(scene.lagging),
        readCheckpoints: () => Promise.resolve([{ ...checkpoint, maxSeqNo: 9 }]),
        flush: () => {
          asked.push('flush');
          return scene.flushError === undefined ? Promise.resolve() : Promise.reject(scene.flushError);
        },
      },
      settings: {
        ...target.settings,
        put: (settings) => {
          asked.push(...Object.keys(settings));
          return scene.putError === undefined ? Promise.resolve() : Promise.reject(scene.putError);
        },
      },
    },
    source: {
      ...source,
      snapshots: {
        ...source.snapshots,
        pinnedBytes: () => Promise.resolve(0),
        extend: () =>
          scene.isSnapshotLost
            ? Promise.reject(new ClusterError('snapshot_lost', 'no such point in time', {}))
            : Promise.resolve(),
      },
      state: {
        ...source.state,
        readRouting: () => Promise.resolve(createRouting(scene.sourcePrimaries)),
        flush: () => {
          asked.push('flush of the source');
          return Promise.resolve();
        },
        describe: async (call) => {
          const described = await source.state.describe(call);
          return described && { ...described, settings: { ...described.settings, ...scene.sourceSettings } };
        },
        readCheckpoints: () =>
          Promise.resolve(
            [
              {
                ...checkpoint,
                state: scene.state,
                maxSeqNo: scene.maxSeqNo,
                globalCheckpoint: scene.maxSeqNo,
              },
            ].slice(scene.hasPrimary ? 0 : 1),
          ),
      },
    },
    clock: { ...context.clock, now: () => scene.now },
    log: { ...context.log, warn: (_, text) => warnings.push(text) },
  };
  /** One look after so long, and what becomes of the record. */
  const look = async (afterMs: number): Promise<MigrationRecord> => {
    scene.now += afterMs;
    const stored = { record: scene.record, seqNo: 1, primaryTerm: 1 };
    const shards = scene.rounds.map((roundMs, shard) => {
      const uncheckedKeysFrom = scene.unread[shard];
      const figures = {
        ...(roundMs !== undefined && { roundMs }),
        ...(uncheckedKeysFrom !== undefined && { uncheckedKeysFrom }),
      };
      return { ...stored, record: { ...newShardRecord('k', shard, 0), ...converged, ...figures } };
    });
    const view = { stored, record: scene.record, shards };
    if (!isPreparing(view)) throw new Error(`it is ${scene.record.phase} already`);
    const result = await preparingTarget(coordinator, view);
    if (result.type === 'changed') {
      scene.record = { ...result.record, lastUpdatedMillis: scene.now };
      scene.writes += 1;
    }
    return scene.record;
  };
  const comeNear = (): void => {
    scene.record = { ...scene.record, blockNearSinceMillis: scene.now };
  };
  return { scene, look, comeNear, warnings, asked, hurried, lostNodeWaitMs: context.nodes.waitMs };
}

test('a target that does not get green is shown after a while, with what to do', async () => {
  const { scene, look, warnings } = createScene();
  expect((await look(9000)).waits).toEqual([]);
  expect(findWaiting(await look(2000), 'cutover')).toEqual({
    reason: 'target',
    sinceMillis: scene.now,
    text: expect.stringMatching(/\[books2\] is not GREEN: .*unassigned=1; .*allocation\/explain/) as string,
  });
  await look(60_000);
  expect(scene.writes).toBe(1);
  scene.explanation = 'the replica of shard [0] has no node: filter: …';
  expect(findWaiting(await look(10_000), 'cutover')?.text).toMatch(
    /unassigned=1; the replica of shard \[0\] has no/,
  );
  scene.health = green;
  // The target is refreshed first, which the record says.
  await look(500);
  const after = await look(500);
  expect(after.phase).toBe('CUTTING_OVER');
  expect(after.waits).toEqual([]);
  expect(warnings).toHaveLength(1);
});

test('a gap that stays is shown; its figures are written again now and then', async () => {
  const { scene, look, comeNear, warnings } = createScene();
  comeNear();
  scene.health = green;
  scene.maxSeqNo = 5000;
  const first = await look(11_000);
  const firstWait = findWaiting(first, 'cutover');
  expect(firstWait).toMatchObject({
    reason: 'gap',
    text: 'shard [0]: 4993 operations behind, 500 are allowed; start more workers, or lower the write rate',
  });
  scene.maxSeqNo = 6000;
  expect(await look(200)).toBe(first);
  const later = await look(10_000);
  const laterWait = findWaiting(later, 'cutover');
  expect(laterWait).toMatchObject({ reason: 'gap', sinceMillis: firstWait?.sinceMillis });
  expect(laterWait?.text).toContain('5993 operations');
  expect(warnings).toHaveLength(1);
});

test('what follows takes its place, and each has a remedy of its own', async () => {
  const { scene, look, comeNear } = createScene();
  await look(11_000);
  scene.health = green;
  comeNear();
  scene.state = 'RELOCATING';
  expect(findWaiting(await look(1000), 'cutover')).toMatchObject({
    reason: 'gap',
    text: expect.stringContaining('is RELOCATING; it is being moved') as string,
  });
  scene.hasPrimary = false;
  scene.now = 14_400_000;
  await look(0);
  expect(await look(0)).toMatchObject({
    phase: 'FAILING',
    reason: expect.stringContaining('bring the primary back') as string,
  });
});

test.each([
  ['works', undefined],
  ['is refused', new ClusterError('forbidden', 'no permission', {})],
])('replicas are wanted back after a flush of what was copied, which %s', async (_, flushError) => {
  const { scene, look, asked } = createScene();
  const originals = { 'index.number_of_replicas': '1' };
  scene.record = { ...scene.record, targetRestored: false, targetOriginals: originals };
  scene.flushError = flushError;
  expect((await look(0)).targetRestored).toBe(true);
  expect(asked.slice(0, 2)).toEqual(['flush', 'index.number_of_replicas']);
});

test.each([
  [{}],
  [{ 'index.number_of_replicas': '0' }],
  [{ 'index.auto_expand_replicas': 'false', 'index.refresh_interval': '1s' }],
])('a target that gets no replicas back is not flushed: %j', async (originals) => {
  const { scene, look, asked } = createScene();
  scene.record = { ...scene.record, targetRestored: false, targetOriginals: originals };
  await look(0);
  expect(asked).not.toContain('flush');
});

test("a refusal of the target's own settings leaves the replay its jobs", async () => {
  const { scene, look, asked } = createScene();
  scene.record = { ...scene.record, targetRestored: false, targetOriginals: {} };
  scene.rounds = [undefined];
  const primary: Partial<PrimaryRouting> = { shard: 0, nodeId: 'n' };
  scene.sourcePrimaries = [primary as PrimaryRouting];
  scene.putError = new ClusterError('invalid', 'below the minimum', {});
  expect((await look(0)).targetRestored).toBe(false);
  expect(asked).toContain('replay of 0');
});

test.each([{ 'index.number_of_replicas': null }, { 'index.auto_expand_replicas': '0-1' }])(
  'one that gets some by %j is',
  async (originals) => {
    const { scene, look, asked } = createScene();
    scene.record = { ...scene.record, targetRestored: false, targetOriginals: originals };
    await look(0);
    expect(asked[0]).toBe('flush');
  },
);

test('shards of a split that have keys to read are hurried once, and the cutover waits for as long as they take', async () => {
  const { scene, look, asked, hurried } = createScene();
  const source = { checkpoint: 9, historyUuid: 'h', allocationId: 'a', primaryTerm: 1 };
  const sources = { 0: source, 1: source, 2: { ...source, checkpoint: 19 } };
  const files = { settings: {}, originals: {}, sources };
  scene.record = { ...scene.record, targetRestored: false, files };
  scene.rounds = [1, 1, 1];
  scene.unread = [undefined, 0, 0];
  scene.health = green;
  await look(0);
  expect(hurried).toEqual([1, 2]);
  expect(findWaiting(await look(11_000), 'cutover')).toMatchObject({
    reason: 'gap',
    text: expect.stringContaining(
      'the keys of 1 of 3 shards are read: 25 % of all, about 33 s are left; a split goes by keys',
    ) as string,
  });
  scene.unread = [undefined, 5, 15];
  expect(findWaiting(await look(11_000), 'cutover')?.text).toContain('75 % of all, about 8 s are left;');
  scene.unread = [0, 0, 0];
  expect(findWaiting(await look(11_000), 'cutover')?.text).toContain(
    'the keys of 0 of 3 shards are read: 0 % of all;',
  );
  scene.unread = [undefined, 5, 0];
  for (let hour = 0; hour < 8; hour++) await look(3_600_000);
  expect(scene.record.phase).toBe('PREPARING_TARGET');
  expect(hurried).toEqual([1, 2]);
  expect(asked).not.toContain('refresh');
  scene.unread = [];
  await look(1000);
  expect(asked).toContain('refresh');
  await look(1000);
  expect(scene.record.phase).toBe('CUTTING_OVER');
});

test('a target that is green is refreshed once before the last rounds, and again where those take long', async () => {
  const { scene, look, asked } = createScene();
  expect((await look(1000)).blockNearSinceMillis).toBeUndefined();
  expect(asked).toEqual([]);
  scene.health = green;
  scene.maxSeqNo = 5000;
  expect((await look(1000)).blockNearSinceMillis).toBe(scene.now);
  expect(asked).toEqual(['refresh']);
  await look(59_000);
  expect(asked).toEqual(['refresh']);
  await look(1000);
  expect(asked).toEqual(['refresh', 'refresh']);
});

test('the source is flushed where it acknowledges before it syncs', async () => {
  const { scene, look, asked } = createScene();
  scene.health = green;
  scene.sourceSettings = { 'index.translog.durability': 'ASYNC' };
  await look(1000);
  expect(asked.toSorted()).toEqual(['flush of the source', 'refresh']);
});

test('a target that is green no more lets the shards rest as before', async () => {
  const { scene, look, comeNear } = createScene();
  comeNear();
  expect((await look(500)).blockNearSinceMillis).toBeUndefined();
  scene.health = green;
  expect((await look(500)).blockNearSinceMillis).toBe(scene.now);
});

test.each([
  ['the target is not green', yellow, {}],
  ['the operator holds the cutover back', green, { cutover: 'manual' }],
  ['it waits for a verification', green, { verify: 'content' }],
] as const)('%s: the target gets the interval of its refreshes back', async (_, health, options) => {
  const { scene, look, comeNear, asked } = createScene();
  const refresh = 'index.refresh_interval';
  scene.health = health;
  scene.verifications = [newVerification('k', 0)];
  scene.record = {
    ...scene.record,
    options: { ...scene.record.options, ...options },
    targetOriginals: { [refresh]: '30s' },
  };
  scene.targetSettings = { [refresh]: '201ms' };
  comeNear();
  await look(500);
  expect(asked).toEqual([refresh]);
  scene.targetSettings = { [refresh]: '30s' };
  await look(500);
  expect(asked).toEqual([refresh]);
});

test('a gap of 50 is left to the last round', async () => {
  const { scene, look, comeNear, hurried } = createScene();
  scene.health = green;
  scene.maxSeqNo = 57;
  comeNear();
  expect((await look(1000)).phase).toBe('CUTTING_OVER');
  expect(hurried).toEqual([]);
});

test('shards that rest and are behind are hurried, and get some seconds', async () => {
  const { scene, look, comeNear, hurried } = createScene();
  scene.health = green;
  scene.maxSeqNo = 58;
  comeNear();
  expect((await look(1000)).phase).toBe('PREPARING_TARGET');
  expect(hurried).toEqual([0]);
  expect((await look(1999)).phase).toBe('PREPARING_TARGET');
  expect((await look(1)).phase).toBe('CUTTING_OVER');
});

test('a shard that has had a round since then is left to its own pace', async () => {
  const { scene, look, hurried } = createScene();
  scene.health = green;
  scene.maxSeqNo = 100;
  scene.record = { ...scene.record, blockNearSinceMillis: 0 };
  scene.record = {
    ...scene.record,
    transitionHistory: [{ phase: 'PREPARING_TARGET', startTimeMillis: 500 }],
  };
  await look(1000);
  expect(hurried).toEqual([]);
});

test('a snapshot that was lost during a rest is repaired before the write block', async () => {
  const { scene, look, comeNear, hurried } = createScene();
  scene.health = green;
  scene.isSnapshotLost = true;
  comeNear();
  expect((await look(1000)).phase).toBe('PREPARING_TARGET');
  expect(hurried).toEqual([0]);
  scene.isSnapshotLost = false;
  expect((await look(200)).phase).toBe('CUTTING_OVER');
});

test.each([
  [() => Promise.resolve(0), 'no worker takes jobs; start one'],
  [
    () => Promise.reject(new Error('no answer')),
    'Redis does not say whether a worker takes jobs; bring Redis back',
  ],
])('no source is blocked while nobody could have the last rounds: %#', async (countWorkers, text) => {
  const { scene, look, comeNear } = createScene();
  scene.health = green;
  scene.countWorkers = countWorkers;
  comeNear();
  const waits = await look(11_000);
  expect(waits.phase).toBe('PREPARING_TARGET');
  expect(findWaiting(waits, 'cutover')?.text).toContain(text);
  // The scheduler waits however long it takes, and gives the target its whole time again.
  scene.now = 14_400_000;
  await look(0);
  expect((await look(0)).phase).toBe('PREPARING_TARGET');
  comeNear();
  scene.countWorkers = () => Promise.resolve(1);
  expect((await look(200)).phase).toBe('CUTTING_OVER');
});

test('a node that is away is waited for before the block, also where its shard is quiet', async () => {
  const quiet = { ...writer, quietAtMillis: 5, nodes: ['gone/1'] };
  const { scene, look, comeNear } = createScene({ ...converged, writer: quiet });
  scene.health = green;
  comeNear();
  expect(findWaiting(await look(11_000), 'cutover')?.text).toContain('node [gone] has left the cluster');
});

test('a target that has lost a primary since it was green is waited for before the block', async () => {
  const { scene, look, comeNear } = createScene();
  scene.health = green;
  scene.targetStates = ['STARTED', 'UNASSIGNED'];
  comeNear();
  expect(findWaiting(await look(11_000), 'cutover')?.text).toContain('shard [1] of the target');
  scene.targetStates = ['STARTED', 'STARTED'];
  expect((await look(200)).phase).toBe('CUTTING_OVER');
});

test.each([
  ['an owner that is dead', { writer: { ...writer, owner: 'somebody/1' } }],
  ['an epoch that is to be closed', { writer: { ...writer, fenceReady: false } }],
  ['a round that nobody is at', { nextSnapshot: { ...snapshot, pitId: 'next' } }],
  ['a convergence that was lost with its record', { phase: 'CONVERGING' }],
] as const)('%s: the next owner comes before the block', async (_, left) => {
  const { scene, look, comeNear } = createScene({ ...converged, ...left });
  scene.health = green;
  comeNear();
  expect(findWaiting(await look(11_000), 'cutover')?.text).toMatch(
    /^shard \[0\]: (its last owner|it is in CONV)/,
  );
});

/** CUTTING_OVER has gone back after the time for a green target. */
function comeBack({ scene, comeNear }: ReturnType<typeof createScene>): void {
  scene.now = Math.max(scene.now, 14_400_001);
  const cameBack = { phase: 'PREPARING_TARGET', startTimeMillis: scene.now } as const;
  scene.record = { ...scene.record, transitionHistory: [...scene.record.transitionHistory, cameBack] };
  comeNear();
}

test.each([
  ['an owner that is dead', { owner: 'somebody/1' }, green],
  ['a target that has lost a primary', {}, { ...yellow, status: 'red' }],
  ['a node that is away', { nodes: ['gone/1'] }, green],
] as const)('%s: what is in the way late gets its time', async (_, parts, health) => {
  const bench = createScene({ ...converged, writer: { ...writer, ...parts } });
  bench.scene.health = health;
  comeBack(bench);
  expect((await bench.look(50_000)).phase).toBe('PREPARING_TARGET');
  bench.comeNear();
  // So long is a node waited for that has left.
  expect((await bench.look(10_000 + bench.lostNodeWaitMs - 1)).phase).toBe('PREPARING_TARGET');
  expect((await bench.look(1)).phase).toBe('FAILING');
});

test('something in the way again and again, late, is an end', async () => {
  const bench = createScene({ ...converged, writer: { ...writer, owner: 'somebody/1' } });
  bench.scene.health = green;
  for (let times = 0; times < 3; times++) {
    comeBack(bench);
    expect((await bench.look(1000)).phase).toBe('PREPARING_TARGET');
  }
  comeBack(bench);
  expect((await bench.look(1000)).phase).toBe('FAILING');
});

test('a copy that tells nothing keeps the block away, one that is behind does not', async () => {
  const { scene, look, comeNear } = createScene();
  scene.health = green;
  scene.lagging = [{ shard: 1, isSearchOnly: false, state: 'unknown' }];
  comeNear();
  await look(12_000);
  const record = await look(0);
  expect(record.phase).toBe('PREPARING_TARGET');
  expect(findWaiting(record, 'cutover')?.text).toContain(
    'target shard [1]: a replica does not say what it shows; _cat/shards shows',
  );
  scene.lagging = [{ shard: 1, isSearchOnly: false, state: 'behind' }];
  expect((await look(200)).phase).toBe('CUTTING_OVER');
});

describe('search replicas', () => {
  const searched = { 'index.number_of_search_replicas': '1', 'index.refresh_interval': '30s' };

  test('are hurried, with their interval written down before, and waited for', async () => {
    const { scene, look, asked } = createScene();
    scene.health = green;
    scene.targetSettings = searched;
    scene.lagging = [{ shard: 0, isSearchOnly: true, state: 'behind', shownSeqNo: 8 }];
    const noted = await look(12_000);
    expect(noted.targetOriginals).toMatchObject({ 'index.refresh_interval': '30s' });
    expect(asked).toEqual([]);
    const waiting = await look(0);
    expect(asked).toEqual(['index.refresh_interval', 'refresh']);
    expect(waiting).not.toHaveProperty('blockNearSinceMillis');
    expect(findWaiting(waiting, 'cutover')?.text).toContain('a search replica shows less than its primary');
    // As much as the target held when it was refreshed: documents go on being written.
    scene.lagging = [{ shard: 0, isSearchOnly: true, state: 'behind', shownSeqNo: 9 }];
    expect(await look(0)).toMatchObject({ blockNearSinceMillis: scene.now });
  });

  test('that never come are an end, and the source was not blocked', async () => {
    const { scene, look } = createScene();
    scene.health = green;
    scene.targetSettings = searched;
    scene.lagging = [{ shard: 0, isSearchOnly: true, state: 'away' }];
    await look(0);
    const end = await look(20_000_000);
    expect(end).toMatchObject({
      phase: 'FAILING',
      reason: expect.stringContaining('is on no node') as string,
    });
    expect(end).not.toHaveProperty('writeBlock');
  });
});

test('gaps are looked at when it is known that somebody works', async () => {
  const { scene, look, comeNear } = createScene();
  scene.health = green;
  comeNear();
  scene.countWorkers = () => {
    scene.maxSeqNo = 5000; // Redis has taken its time
    return Promise.resolve(1);
  };
  expect((await look(200)).phase).toBe('PREPARING_TARGET');
});

test('a snapshot that a round has closed by itself meanwhile is not lost', async () => {
  const { scene, look, comeNear } = createScene();
  scene.health = green;
  scene.isSnapshotLost = true;
  scene.snapshotNow = 'a later one';
  comeNear();
  expect((await look(1000)).phase).toBe('CUTTING_OVER');
});

test('a flush that ends with the process ends the step', async () => {
  const { scene, look, asked } = createScene();
  const targetOriginals = { 'index.number_of_replicas': '1' };
  scene.record = { ...scene.record, targetRestored: false, targetOriginals };
  scene.flushError = new Error('aborted');
  await expect(look(0)).rejects.toThrow('aborted');
  expect(asked).toEqual(['flush']);
});

function isPreparing(view: MigrationView): view is MigrationView<'PREPARING_TARGET'> {
  return view.record.phase === 'PREPARING_TARGET';
}

describe('a rehearsal', () => {
  const done: VerificationRecord = { ...newVerification('k', 0), phase: 'done', documentsCompared: 7 };

  function rehearse(...verifications: readonly VerificationRecord[]) {
    const { scene, look, comeNear } = createScene();
    scene.health = green;
    scene.verifications = verifications;
    scene.rounds = [40];
    const { options } = scene.record;
    // It waits for no person, and no predicted pause is too long.
    scene.record = {
      ...scene.record,
      options: { ...options, rehearse: true, verify: 'content', cutover: 'manual', maxPauseMs: 100 },
    };
    comeNear();
    return { scene, look };
  }

  test('ends where the cutover would begin', async () => {
    const { phase, reason, rehearsal } = await rehearse(done).look(1000);
    expect(phase).toBe('CANCELLING');
    expect(reason).toContain('stays where it is: 7 documents were verified without a difference');
    expect(rehearsal).toMatchObject({ outcome: 'exact', differences: 0, documentsVerified: 7 });
  });

  test.each([
    ['different', { ...done, counts: { ...done.counts, extra: 1 } }, 'in 1 documents (1 extra)'],
    ['not_verified', { ...done, phase: 'failed', reason: 'no room' }, 'the verification failed: no room'],
  ] as const)('ends as %s as soon as the verification has ended', async (outcome, verification, why) => {
    const { phase, reason, rehearsal } = await rehearse(verification).look(1000);
    expect([phase, rehearsal?.outcome]).toEqual(['CANCELLING', outcome]);
    expect(reason).toContain(why);
  });

  test('does not end while documents could not be judged: the next pass looks again', async () => {
    const { look } = rehearse({ ...done, phase: 'running' }, { ...done, unsettled: 3 });
    expect((await look(1000)).phase).toBe('PREPARING_TARGET');
  });

  test('waits for a round of a shard that has converged without one, so that the pause can be told', async () => {
    const { scene, look } = rehearse(done);
    scene.rounds = [undefined];
    expect((await look(1000)).phase).toBe('PREPARING_TARGET');
    scene.rounds = [40];
    expect((await look(1000)).rehearsal?.found?.pauseMs).toBeGreaterThanOrEqual(40);
  });

  test('never begins a cutover, also when a person verifies again at that moment', async () => {
    const { scene, look } = rehearse(done, { ...done, phase: 'running' });
    expect((await look(1000)).phase).toBe('PREPARING_TARGET');
    scene.verifications = [done];
    // The target is refreshed again first.
    await look(1000);
    expect((await look(1000)).phase).toBe('CANCELLING');
  });
});
