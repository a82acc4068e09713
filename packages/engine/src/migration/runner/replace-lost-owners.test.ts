import { examplePrimary, exampleRouting } from '@aosc/testkit';
import { findWaiting, newShardRecord } from '@aosc/domain';
import type { MigrationRecord, ShardRecord } from '@aosc/contract';
import { ClusterError } from '../../ports/cluster-error';
import { ClearBench, createMigration, key } from './__tests__/clear-bench';
import { BlockWatch } from '../step/block-watch';
import type { MigrationView, StepContext } from '../step/context';
import { checkOwners } from './replace-lost-owners';
import { ShardWatch } from '../step/shard-watch';

const timeoutMs = 10_000;
const checkIntervalMs = 5000;
const fresh = newShardRecord(key, 0, 0);
const copying: ShardRecord = {
  ...fresh,
  phase: 'BACKFILLING',
  writer: { ...fresh.writer, owner: 'one', activity: 1 },
};

/**
 * One migration of one shard, looked after by one scheduler; the test says what becomes of them.
 * @param beat what the owner writes when it is faster than the scheduler
 */
function createScene(
  shard: ShardRecord = copying,
  parts: Partial<MigrationRecord> = {},
  beat: Partial<ShardRecord['writer']> = {},
) {
  let now = 0;
  const scene = {
    migration: createMigration(parts),
    shard,
    seqNo: 1,
    workers: 1,
    permits: 2,
    beats: 0,
  };
  const queued: string[] = [];
  const lost: string[] = [];
  const { cluster, ...context } = new ClearBench({}).context;
  const source = cluster.index('books');
  const coordinator: StepContext = {
    ...context,
    clusterUuid: 'c',
    timing: { requestTimeoutMs: 1000, guardMs: 0, writeBlockMaxMs: 1000, staleAfterMs: 1000 },
    jobs: {
      ensureShardJobs: () => Promise.resolve(),
      dropShardJobs: () => Promise.resolve(),
      hurryReplays: () => Promise.resolve(),
      ensureVerifyJob: () => Promise.resolve(),
      replaceShardJob: (kind, _key, { shard: number, nodeId }) =>
        Promise.resolve(void queued.push(`${kind} ${number} ${nodeId}`)),
    },
    target: cluster.index('books2'),
    source: {
      ...source,
      state: {
        ...source.state,
        readRouting: () => Promise.resolve(exampleRouting([examplePrimary(0, { nodeId: 'n1' })])),
      },
    },
    store: {
      ...context.store,
      readShard: () => Promise.resolve({ record: scene.shard, seqNo: scene.seqNo, primaryTerm: 1 }),
      replaceShard: (before, after) => {
        if (before.seqNo !== scene.seqNo)
          return Promise.reject(new ClusterError('conflict', 'an old version'));
        if (scene.beats > 0) {
          scene.beats -= 1;
          onBeat();
          return Promise.reject(new ClusterError('conflict', 'somebody was faster'));
        }
        scene.shard = after;
        scene.seqNo += 1;
        return Promise.resolve({ ...before, record: after, seqNo: scene.seqNo });
      },
    },
    blocks: new BlockWatch(context.clock),
    liveness: {
      watch: new ShardWatch(() => now),
      settings: () => ({ checkIntervalMs, timeoutMs, permits: scene.permits }),
      countWorkers: () => Promise.resolve(scene.workers),
      onOwnerLost: (how) => lost.push(how),
    },
  };
  const onBeat = (): void => write({ heartbeatAtMillis: scene.shard.writer.heartbeatAtMillis + 1, ...beat });
  const look = async (afterMs = 0) => {
    now += afterMs;
    const stored = { seqNo: 1, primaryTerm: 1 };
    const view: MigrationView = {
      stored: { ...stored, record: scene.migration },
      record: scene.migration,
      shards: [{ record: scene.shard, seqNo: scene.seqNo, primaryTerm: 1 }],
    };
    const result = await checkOwners(coordinator, view);
    if (result !== undefined && result !== 'again' && result.type === 'changed')
      scene.migration = result.record;
    return result;
  };
  const write = (change: Partial<ShardRecord['writer']>): void => {
    scene.shard = { ...scene.shard, writer: { ...scene.shard.writer, ...change } };
    scene.seqNo += 1;
  };
  return { scene, look, write, queued, lost };
}

test('an owner that shows no life loses its shard, and the shard gets a new job', async () => {
  const { scene, look, queued, lost } = createScene();
  await look();
  expect(await look(timeoutMs - 1)).toBeUndefined();
  expect(scene.shard.writer.owner).toBe('one');
  expect(await look(checkIntervalMs)).toBe('again');
  expect(scene.shard).toMatchObject({
    phase: 'BACKFILLING',
    writer: { epoch: 2, fenceReady: false },
    ownersLost: { count: 1, last: 'silent' },
  });
  expect(scene.shard.writer.owner).toBeUndefined();
  expect(queued).toEqual(['backfill 0 n1']);
  expect(lost).toEqual(['silent']);
});

test('one that beats without an answer to its work does, too; one that gets answers stays', async () => {
  const { look, write, lost } = createScene();
  await look();
  write({ activity: 2, heartbeatAtMillis: 1 });
  await look(timeoutMs);
  expect(lost).toEqual([]);
  write({ heartbeatAtMillis: 2 });
  await look(timeoutMs);
  expect(lost).toEqual(['stuck']);
});

test('it is looked for once in each interval', async () => {
  const { look, lost } = createScene();
  await look();
  await look(timeoutMs - 1);
  await look(checkIntervalMs - 1);
  expect(lost).toEqual([]);
  await look(1);
  expect(lost).toEqual(['silent']);
});

test('a silent owner that wakes up at the same moment keeps its shard', async () => {
  const { scene, look, queued, lost } = createScene(copying, {}, { activity: 2 });
  await look();
  scene.beats = 1;
  expect(await look(timeoutMs)).toBeUndefined();
  expect(scene.shard.writer.owner).toBe('one');
  expect({ queued, lost }).toEqual({ queued: [], lost: [] });
});

test('a beat does not save one that hangs, an answer does', async () => {
  const hung = createScene();
  await hung.look();
  hung.write({ heartbeatAtMillis: 1 });
  hung.scene.beats = 2;
  expect(await hung.look(timeoutMs)).toBe('again');
  expect(hung.scene.shard.writer.owner).toBeUndefined();
  expect(hung.lost).toEqual(['stuck']);

  const answered = createScene(copying, {}, { activity: 2 });
  await answered.look();
  answered.write({ heartbeatAtMillis: 1 });
  answered.scene.beats = 1;
  expect(await answered.look(timeoutMs)).toBeUndefined();
  expect(answered.lost).toEqual([]);
});

test('the third one in a row that hangs is the last: the shard fails and says what was seen', async () => {
  const { scene, look, write, queued } = createScene();
  await look();
  for (let time = 0; time < 3; time++) {
    write({ owner: `owner ${time}`, activity: 10 * time });
    await look(checkIntervalMs);
    write({ heartbeatAtMillis: time + 1 });
    await look(timeoutMs);
  }
  expect(scene.shard.phase).toBe('FAILING');
  expect(scene.shard.error).toMatch(/^heartbeat timeout after 10s: 3 workers in a row .*answered none/);
  expect(queued).toHaveLength(2);
});

test('under a write block of its own it leaves the shards alone; under one of the user it does not', async () => {
  const writeBlock = { requestedAtMillis: 0, confirmed: true, lifted: false };
  const catchingUp: ShardRecord = { ...copying, phase: 'CATCHING_UP' };
  const own = createScene(catchingUp, {
    phase: 'CATCHING_UP',
    writeBlock: { ...writeBlock, usersOwn: false },
  });
  await own.look();
  await own.look(timeoutMs);
  expect(own.lost).toEqual([]);
  const users = createScene(catchingUp, {
    phase: 'CATCHING_UP',
    writeBlock: { ...writeBlock, usersOwn: true },
  });
  await users.look();
  await users.look(timeoutMs);
  expect(users.queued).toEqual(['catch_up 0 n1']);
});

test('without any worker it says so, since when, and goes on when there is one', async () => {
  const { scene, look } = createScene(fresh);
  scene.workers = 0;
  await look();
  const { waits } = scene.migration;
  expect(findWaiting({ waits }, 'owners')).toEqual({
    reason: 'worker',
    sinceMillis: expect.any(Number) as number,
    text: expect.stringContaining('until one is started') as string,
  });
  expect(await look(checkIntervalMs)).toBeUndefined();
  expect(scene.migration.waits).toEqual(waits);
  scene.workers = 1;
  await look(1);
  expect(scene.migration.waits).toEqual([]);
});

test('without any worker it never fails, however long that lasts', async () => {
  const { scene, look } = createScene();
  scene.workers = 0;
  for (let time = 0; time < 100; time++) await look(timeoutMs);
  expect(scene.shard).toMatchObject({ phase: 'BACKFILLING', ownersLost: { count: 1, last: 'silent' } });
  expect(scene.migration).toMatchObject({ phase: 'ACTIVE', waits: [{ reason: 'worker' }] });
});
