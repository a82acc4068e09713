import { randomUUID } from 'node:crypto';
import { type Stack, startStack, waitUntil } from '@aosc/local-stack';
import { createQueues, type Queues } from '@aosc/queue';
import { migrationKey } from '@aosc/store';
import { type ApiUnderTest, errorLike, startApi } from './__tests__/api-under-test';

jest.setTimeout(600_000);

interface ListedQueue {
  readonly name: string;
  readonly isPaused: boolean;
  readonly counts: Readonly<Record<string, number>>;
  readonly jobs: readonly { readonly id: string; readonly name: string; readonly data: unknown }[];
}

let stack: Stack | undefined;
let aosc: ApiUnderTest;
let queues: Queues;
const prefix = `b-${randomUUID()}`;

beforeAll(async () => {
  stack = await startStack({ nodes: 1 });
  aosc = await startApi({ openSearch: stack.openSearchUrls.join(','), redis: stack.redisUrl });
  await aosc.store.ensureIndex(aosc.call);
  const { cluster_uuid: clusterUuid } = (await aosc.cluster('GET', '/')) as { cluster_uuid: string };
  queues = createQueues({
    redisUrl: stack.redisUrl,
    prefix: aosc.prefix,
    clusterUuid,
    role: 'patient',
    readPermits: () => Promise.resolve(2),
    onError: () => undefined,
  });
});
afterAll(async () => {
  if (stack !== undefined) {
    await aosc.cluster('DELETE', `/${prefix}-*?expand_wildcards=all`);
    await queues.close();
    await aosc.close();
  }
  await stack?.stop();
});

async function board(method: string, path: string) {
  // eslint-disable-next-line no-restricted-globals -- the board's answers are not in the API's document
  const response = await fetch(`${aosc.url}/queues${path}`, { method });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  return { status: response.status, body: isJson ? (JSON.parse(text) as unknown) : text };
}

async function listQueues(activeQueue: string): Promise<readonly ListedQueue[]> {
  const { status, body } = await board('GET', `/api/queues?activeQueue=${activeQueue}&status=latest`);
  expect(status).toBe(200);
  return (body as { queues: readonly ListedQueue[] }).queues;
}

async function queueOf(name: string): Promise<ListedQueue> {
  const found = (await listQueues(name)).find((queue) => queue.name === name);
  if (found === undefined) throw new Error(`the board does not show ${name}`);
  return found;
}

async function startMigration() {
  const [source, target] = [`${prefix}-s`, `${prefix}-t`];
  const settings = { number_of_shards: 1, number_of_replicas: 0 };
  for (const index of [source, target]) await aosc.cluster('PUT', `/${index}`, { settings });
  const started = await aosc.api('POST', `/_plugins/_aosc/${source}/_start`, {
    target_index: target,
    alias: prefix,
    options: { create_alias: true },
  });
  expect(started.status).toBe(200);
  const { migration_id: id } = started.body as { migration_id: string };
  return { source, target, id, key: migrationKey(id) };
}

test('every queue and its jobs in words; nothing of them can be changed, and nothing is told of the server', async () => {
  const node = Object.keys(
    ((await aosc.cluster('GET', '/_nodes/data:true')) as { nodes: Record<string, unknown> }).nodes,
  ).join();
  const { source, target, id, key } = await startMigration();
  await queues.ensureShardJobs('replay', key, [{ shard: 0, nodeId: '' }]);
  const names = (await listQueues('replay')).map(({ name }) => name);
  expect(names).toEqual(['advance', `backfill-${node}`, 'catch-up', 'replay', 'verify']);

  // The board learns of a migration a moment after its start.
  const expected = { migration: id, source_index: source, target_index: target, phase: 'replay', shard: 0 };
  await waitUntil(
    async () =>
      (await queueOf('replay')).jobs.some(({ name }) => name === `replay ${source} → ${target} shard 0`),
    { what: 'the board to know the migration', timeoutMs: 20_000, endedBy: [] },
  );
  expect((await queueOf('replay')).jobs).toMatchObject([{ data: expected }]);
  expect((await queueOf('advance')).jobs).toMatchObject([{ data: { migration: id, phase: 'advance' } }]);

  for (const action of ['pause', 'empty', 'obliterate', 'promote', 'clean/latest']) {
    const refused = await board('PUT', `/api/queues/replay/${action}`);
    expect(refused).toEqual(errorLike(405, 'method_not_allowed_exception', 'looked at, not changed'));
  }
  expect((await board('PUT', '/api/queues/pause')).status).toBe(405);
  expect(await queueOf('replay')).toMatchObject({ isPaused: false, counts: { waiting: 1 } });
  const stats = await board('GET', '/api/redis/stats');
  expect([stats.status, JSON.stringify(stats.body)]).toEqual([403, expect.not.stringContaining('memory')]);
});

test('Redis goes away: the board says so, the rest of the API goes on, and the board is there again after', async () => {
  if (stack === undefined) throw new Error('no stack');
  await listQueues('replay');
  await stack.redis.kill();
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/api/queues'],
  ] as const) {
    expect(await board(method, path)).toEqual(
      errorLike(503, 'service_unavailable_exception', 'Redis does not answer'),
    );
  }
  expect((await aosc.api('GET', '/_plugins/_aosc/_list')).status).toBe(200);
  await stack.redis.restart();
  await waitUntil(async () => (await board('GET', '/api/queues')).status === 200, {
    what: 'the board to be back',
    timeoutMs: 20_000,
    endedBy: [],
  });
});

test('OpenSearch has never been there: the board says that it does not know its queues', async () => {
  const nowhere = await startApi({ openSearch: 'http://127.0.0.1:1', redis: stack?.redisUrl ?? '' });
  try {
    // eslint-disable-next-line no-restricted-globals -- the board's answers are not in the API's document
    const response = await fetch(`${nowhere.url}/queues`);
    expect({ status: response.status, body: await response.json() }).toEqual(
      errorLike(503, 'service_unavailable_exception', 'only it knows which queues there are'),
    );
  } finally {
    await nowhere.close();
  }
});
