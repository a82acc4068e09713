import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Stack } from '@aosc/local-stack';
import { backfillQueue, createQueues } from '@aosc/queue';
import { borrowStack, checkAnswer, joinHeaders } from '@aosc/testkit';
import { type ApiUnderTest, errorLike, startApi } from './__tests__/api-under-test';

jest.setTimeout(600_000);

/** Nothing listens there. */
const nowhere = { openSearch: 'http://127.0.0.1:1', redis: 'redis://127.0.0.1:1' };
let stack: Stack | undefined;
let aosc: ApiUnderTest;

beforeAll(async () => {
  stack = await borrowStack();
  aosc = await startApi({ openSearch: stack.openSearchUrls.join(','), redis: stack.redisUrl });
});
afterAll(async () => {
  if (stack !== undefined) await aosc.close();
  await stack?.stop();
});

async function send(path: string, init: RequestInit) {
  const { status, body } = await aosc.send(path, init);
  return { status, body };
}
const json = { 'content-type': 'application/json' };

describe('requests that are wrong', () => {
  test.each<[string, string, RequestInit, number, string, string]>([
    ['an unknown path', '/nowhere', {}, 404, 'no_handler_exception', 'no handler found for uri [/nowhere]'],
    [
      'a wrong method',
      '/_plugins/_aosc/x/_start',
      {},
      405,
      'method_not_allowed_exception',
      'Incorrect HTTP method for uri [/_plugins/_aosc/x/_start] and method [GET], allowed: [POST]',
    ],
    [
      'text that is no JSON',
      '/_plugins/_aosc/x/_start',
      { method: 'POST', headers: json, body: '{"alias": ' },
      400,
      'parsing_exception',
      'The request body is not JSON',
    ],
    [
      'another content type',
      '/_plugins/_aosc/x/_start',
      { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' },
      415,
      'media_type_header_exception',
      'Content-Type header is [text/plain]',
    ],
    [
      'a body over 1 MB',
      '/_plugins/_aosc/x/_start',
      { method: 'POST', headers: json, body: JSON.stringify({ alias: 'a'.repeat(2 ** 20) }) },
      413,
      'content_too_long_exception',
      'larger than 1 MB',
    ],
    [
      'a path that is not encoded',
      '/_plugins/_aosc/%ZZ/_status',
      {},
      400,
      'illegal_argument_exception',
      'Bad request',
    ],
    [
      'an unknown parameter',
      '/_plugins/_aosc/_list?sise=5',
      {},
      400,
      'illegal_argument_exception',
      'contains unrecognized parameter: [sise] -> did you mean [size]?',
    ],
    [
      'a size of none',
      '/_plugins/_aosc/_list?size=0',
      {},
      400,
      'illegal_argument_exception',
      'size must be > 0, got: 0',
    ],
    [
      'a page of another site',
      '/_plugins/_aosc/x/_cancel',
      { method: 'POST', headers: { origin: 'http://evil.example' } },
      403,
      'security_exception',
      'pages of other sites',
    ],
    [
      'the status of nothing',
      '/_plugins/_aosc/nobody/_status',
      {},
      404,
      'resource_not_found_exception',
      'No migration found for index [nobody]',
    ],
    [
      'a cancel of nothing',
      '/_plugins/_aosc/nobody/_cancel',
      { method: 'POST' },
      404,
      'resource_not_found_exception',
      'No active migration found for source index: [nobody]',
    ],
    [
      'an unknown setting',
      '/_cluster/settings',
      { method: 'PUT', headers: json, body: '{"persistent":{"aosc.x":1}}' },
      400,
      'illegal_argument_exception',
      'persistent setting [aosc.x], not recognized',
    ],
  ])('%s', async (_, path, init, status, type, phrase) => {
    expect(await send(path, init)).toEqual(errorLike(status, type, phrase));
  });
});

test('settings are set, shown, overridden and reset', async () => {
  const name = 'aosc.liveness.timeout';
  const put = (body: object) => aosc.api('PUT', '/_cluster/settings', body);
  expect(await put({ persistent: { aosc: { liveness: { timeout: '60s' } } } })).toEqual({
    status: 200,
    body: { acknowledged: true, persistent: { aosc: { liveness: { timeout: '60s' } } }, transient: {} },
  });
  await put({ transient: { [name]: '70s' } });
  const flat = await aosc.api('GET', '/_cluster/settings?flat_settings&include_defaults=true');
  expect(flat.body).toMatchObject({
    persistent: { [name]: '60s' },
    transient: { [name]: '70s' },
    defaults: { 'aosc.liveness.check_interval': '30s' },
  });
  expect(flat.body).not.toHaveProperty(['defaults', name]);
  await put({ transient: { [name]: null }, persistent: { [name]: null } });
  const after = await aosc.api('GET', '/_cluster/settings?include_defaults=true');
  expect(after.body).toMatchObject({ defaults: { aosc: { liveness: { timeout: '300s' } } } });
});

test('the number of permits is in the queues when its change is answered', async () => {
  const { cluster_uuid: clusterUuid } = (await aosc.cluster('GET', '/')) as { cluster_uuid: string };
  const redisUrl = stack?.redisUrl ?? '';
  const queues = createQueues({
    redisUrl,
    prefix: aosc.prefix,
    clusterUuid,
    role: 'patient',
    readPermits: () => Promise.resolve(2),
    onError: () => undefined,
  });
  const name = 'aosc.backfill.max_concurrent_per_node';
  const inForce = async () => {
    const backfill = queues.board.list().find((queue) => queue.getName() === backfillQueue('node'));
    return backfill?.getGlobalConcurrency();
  };
  try {
    await queues.ensureShardJobs('backfill', 'k', [{ shard: 0, nodeId: 'node' }]);
    await queues.board.follow(['node'], new Map());
    for (const permits of [0, 7, 1]) {
      await aosc.api('PUT', '/_cluster/settings', { transient: { [name]: permits } });
      expect(await inForce()).toBe(permits);
    }
  } finally {
    await aosc.api('PUT', '/_cluster/settings', { transient: { [name]: null } });
    await queues.dropShardJobs('k', 1);
    await queues.close();
  }
});

test('20 changes of different settings at once: none is lost', async () => {
  const names = ['batch.size', 'batch.max_docs', 'aimd.increase_threshold', 'aimd.cooldown_ticks'].map(
    (suffix) => `aosc.replay.controller.${suffix}`,
  );
  const answers = await Promise.all(
    names.map((name) => aosc.api('PUT', '/_cluster/settings', { persistent: { [name]: 7 } })),
  );
  expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
  const { body } = await aosc.api('GET', '/_cluster/settings?flat_settings=true');
  expect(body).toMatchObject({ persistent: Object.fromEntries(names.map((name) => [name, '7'])) });
  await aosc.api('PUT', '/_cluster/settings', { persistent: { 'aosc.*': null } });
});

test('health, readiness and figures', async () => {
  expect(await aosc.api('GET', '/healthz')).toMatchObject({
    status: 200,
    body: { ok: true, opensearch: { away: 0, waiting: 0 } },
  });
  expect(await aosc.api('GET', '/readyz')).toEqual({
    status: 200,
    body: {
      ok: true,
      checks: [
        { name: 'opensearch', ok: true },
        { name: 'records', ok: true },
        { name: 'redis', ok: true },
        { name: 'installation', ok: true },
      ],
    },
  });
  const metrics = await aosc.send('/metrics', {});
  expect(metrics.headers.get('content-type')).toContain('text/plain; version=');
  expect(metrics.body).toContain('process_cpu_seconds_total{app="api"}');
});

test('a name that was made to point at the loopback address is refused', async () => {
  const { host, port } = aosc.server;
  // fetch sets the host header by itself
  const ask = (name: string) =>
    new Promise<number>((resolve, reject) => {
      const headers = { host: `${name}:${port}` };
      const path = '/_plugins/_aosc/_list';
      const judge = async (response: IncomingMessage) => {
        const status = response.statusCode ?? 0;
        const body = await text(response);
        checkAnswer({ method: 'GET', path, status, headers: joinHeaders(response), body });
        return status;
      };
      get({ host, port, path, headers, agent: false }, (response) => {
        judge(response).then(resolve, reject);
      }).once('error', reject);
    });
  expect(await ask('rebound.example')).toBe(403);
  expect(await ask('localhost')).toBe(200);
  expect(await ask('[::1]')).toBe(200);
});

describe('without the servers behind it', () => {
  let alone: ApiUnderTest;
  beforeAll(async () => {
    alone = await startApi(nowhere);
  });
  afterAll(() => alone.close());

  test('it runs, is not ready, and says why', async () => {
    expect((await alone.api('GET', '/healthz')).status).toBe(200);
    expect(await alone.api('GET', '/readyz')).toMatchObject({
      status: 503,
      body: {
        ok: false,
        checks: [
          { name: 'opensearch', ok: false, reason: expect.stringContaining('ECONNREFUSED') as string },
          { name: 'records', ok: false, reason: expect.stringContaining('ECONNREFUSED') as string },
          { name: 'redis', ok: false },
          { name: 'installation', ok: false },
        ],
      },
    });
  });

  test.each([
    ['GET', '/_plugins/_aosc/x/_status', undefined],
    ['GET', '/_plugins/_aosc/_list', undefined],
    ['POST', '/_plugins/_aosc/x/_cancel', undefined],
    ['POST', '/_plugins/_aosc/x/_start', { target_index: 'y', alias: 'z' }],
    ['GET', '/_cluster/settings', undefined],
  ])('%s %s is 503 with the reason', async (method, path, body) => {
    expect(await alone.api(method, path, body)).toEqual(
      errorLike(503, 'service_unavailable_exception', "OpenSearch can't be reached"),
    );
  });

  test('what is wrong with the request itself is told all the same', async () => {
    expect((await alone.api('POST', '/_plugins/_aosc/x/_start', {})).status).toBe(400);
  });
});

test('without Redis a start is refused before anything is written', async () => {
  const half = await startApi({ openSearch: stack?.openSearchUrls.join(',') ?? '', redis: nowhere.redis });
  try {
    const name = `half-${half.prefix}`;
    await half.cluster('PUT', `/${name}-s`, { settings: { number_of_replicas: 0 } });
    await half.cluster('PUT', `/${name}-t`, { settings: { number_of_replicas: 0 } });
    const body = { target_index: `${name}-t`, alias: `${name}-a`, options: { create_alias: true } };
    expect(await half.api('POST', `/_plugins/_aosc/${name}-s/_start`, body)).toEqual(
      errorLike(503, 'service_unavailable_exception', "Redis can't be reached, nothing was started"),
    );
    expect((await half.api('GET', `/_plugins/_aosc/${name}-s/_status`)).status).toBe(404);
    await half.cluster('DELETE', `/${name}-s,${name}-t`);
  } finally {
    await half.close();
  }
});

test('closing ends open connections, so that the process can end', async () => {
  const short = await startApi(nowhere);
  const idle = connect(short.server.port, short.server.host);
  const ended = new Promise<void>((resolve) => idle.once('close', () => resolve()));
  await new Promise<void>((resolve) => idle.once('connect', () => resolve()));
  await short.close();
  await ended;
});
