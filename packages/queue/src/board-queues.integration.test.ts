import { type Stack, startStack } from '@aosc/local-stack';
import { Redis } from 'ioredis';
import type { MigrationLabel } from './describe-job';
import { keyPrefix } from './queue-names';
import { createQueues, type Queues } from './queues';

jest.setTimeout(60_000);

const clusterUuid = 'cluster';
const key = '0123456789abcdef0123';
const label: MigrationLabel = {
  migrationId: 'books__books2__1000',
  sourceIndex: 'books',
  targetIndex: 'books2',
  phase: 'ACTIVE',
};
const noLabels = new Map<string, MigrationLabel>();
let stack: Stack;
let redis: Redis;
const open: { close(): Promise<unknown> }[] = [];

beforeAll(async () => {
  stack = await startStack({ nodes: 0 });
  redis = new Redis(stack.redisUrl, { maxRetriesPerRequest: null });
}, 60_000);
afterEach(() => Promise.all(open.splice(0).map((each) => each.close())));
afterAll(async () => {
  redis.disconnect();
  await stack.stop();
});

function openQueues(prefix: string): Queues {
  const queues = createQueues({
    redisUrl: stack.redisUrl,
    prefix,
    clusterUuid,
    role: 'patient',
    readPermits: () => Promise.resolve(2),
    onError: () => undefined,
  });
  open.push(queues);
  return queues;
}

async function namesOf(board: Queues['board']): Promise<readonly string[]> {
  for (const adapter of board.list()) await adapter.getJobCounts();
  return board.list().map((adapter) => adapter.getName());
}

async function countConnections(): Promise<number> {
  return String(await redis.client('LIST'))
    .trim()
    .split('\n').length;
}

test('queues come and go with the data nodes, over one connection, and looking writes nothing', async () => {
  const before = await countConnections();
  const { board } = openQueues('follow');
  await board.follow(['b', 'a'], noLabels);
  const always = ['advance', 'catch-up', 'replay', 'verify'];
  expect(await namesOf(board)).toEqual([
    'advance',
    'backfill-a',
    'backfill-b',
    'catch-up',
    'replay',
    'verify',
  ]);
  for (let round = 0; round < 20; round += 1) await board.follow([`c${round}`], noLabels);
  expect(await namesOf(board)).toEqual(['advance', 'backfill-c19', 'catch-up', 'replay', 'verify']);
  await board.follow([], noLabels);
  expect(await namesOf(board)).toEqual(always);
  expect(await countConnections()).toBe(before + 1);
  expect(await redis.keys(`${keyPrefix('follow', clusterUuid)}*`)).toEqual([]);
});

test('each queue is shown without its buttons', async () => {
  const { board } = openQueues('modes');
  await board.follow(['a'], noLabels);
  expect(board.list().map(({ readOnlyMode }) => readOnlyMode)).toEqual([true, true, true, true, true]);
});

test('jobs are described by migration, shard and phase', async () => {
  const queues = openQueues('jobs');
  const { board } = queues;
  await queues.wakeMigration(key);
  await queues.ensureShardJobs('backfill', key, [{ shard: 3, nodeId: 'a' }]);
  await board.follow(['a'], new Map([[key, label]]));
  const told: unknown[] = [];
  for (const adapter of board.list()) {
    for (const job of await adapter.getJobs(['waiting', 'prioritized'])) {
      const json = job.toJSON();
      told.push([adapter.format('name', json), adapter.format('data', json.data)]);
    }
  }
  expect(told).toMatchObject([
    ['advance books → books2', { migration: label.migrationId, phase: 'advance' }],
    ['backfill books → books2 shard 3', { migration: label.migrationId, shard: 3, phase: 'backfill' }],
  ]);
});
