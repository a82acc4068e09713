import {
  createCreation,
  createStatus,
  refusal,
  type Reply,
  type Seen,
  serve,
  type Server,
} from './__tests__/serve.ts';
import { AnswerError, ApiError, type ClientOptions, ConnectionError, createAoscClient } from './index.ts';

const quick = { baseMs: 1, maxMs: 2, attempts: 3 };
const secret = { apiKey: 'top-secret-key' };
let server: Server | undefined;

async function clientOf(reply: (seen: Seen, n: number) => Reply, options: Partial<ClientOptions> = {}) {
  server = await serve(reply);
  const client = createAoscClient({ url: server.url, retry: quick, ...options });
  return { client, seen: server.seen };
}

afterEach(async () => {
  await server?.stop();
  server = undefined;
});

const noPoints = {
  at_millis: [],
  phase: [],
  documents_indexed: [],
  documents_per_second: [],
  bytes_per_second: [],
  gap: [],
  batch_bytes: [],
  concurrency: [],
  pauses: [],
};
const shardDetail = {
  migration_id: 'm',
  source_index: 'a',
  shard: 3,
  phase: 'PENDING',
  owners_lost: 0,
  epoch: 1,
  snapshots: [],
  snapshots_to_close: 0,
  snapshots_lost: 0,
  transition_history: [],
};
const start = { target_index: 'b', alias: 'al' };
const createPlan = () => ({
  plan_id: '1.x',
  source_index: 'a',
  target_index: 'b',
  alias: 'c',
  verdict: 'ok',
  checks: [],
  differences: [],
  differences_truncated: false,
});
const started = { body: { migration_id: 'a__b__1', accepted: true } };

test('a start: path, body, credentials', async () => {
  const { client, seen } = await clientOf(() => started, { credentials: secret });
  expect(await client.start('a b/c', start)).toEqual(started.body);
  expect(seen.map(({ what, body }) => [what, body])).toEqual([
    ['POST /_plugins/_aosc/a%20b%2Fc/_start', JSON.stringify(start)],
  ]);
  expect(seen[0]?.headers).toMatchObject({
    authorization: 'ApiKey top-secret-key',
    'content-type': 'application/json',
  });
});

test('the dry run of a start: all that speaks against it', async () => {
  const causes = ['one', 'two'].map((reason) => ({ type: 'illegal_state_exception', reason }));
  const error = { type: 'illegal_state_exception', reason: 'one', root_cause: causes };
  const { client, seen } = await clientOf(() => ({ status: 400, body: { error, status: 400 } }));
  await expect(client.checkStart('a', start)).rejects.toMatchObject({ status: 400, rootCause: causes });
  expect(seen.map(({ what }) => what)).toEqual(['POST /_plugins/_aosc/a/_start?dry_run=true']);
});

test('queries and bodies of the other calls', async () => {
  const { client, seen } = await clientOf(({ what }) => {
    if (what.includes('_cleanup'))
      return { body: { dry_run: true, leases: [], released: 0, failed: 0, truncated: false } };
    if (what.includes('_clear')) return { body: { dry_run: true, try_close: true, migrations: {} } };
    if (what.includes('_list')) return { body: { migrations: [], truncated: false, active_count: 0 } };
    if (what.includes('_cancel')) return { body: { accepted: true, phase: 'CANCELLING' } };
    if (what.includes('_create_target')) return { body: createCreation() };
    if (what.endsWith('a__b__1')) return { body: createStatus('COMPLETED') };
    if (what.includes('_timeline'))
      return { body: { migration_id: 'm', source_index: 'a', points: noPoints } };
    if (what.includes('_plan')) return { body: createPlan() };
    if (what.includes('_preview')) return { body: { documents: [] } };
    if (what.includes('_shards')) return { body: shardDetail };
    return { body: { acknowledged: true, persistent: { 'aosc.a': '1' }, transient: {} } };
  });
  await client.cleanupLeases();
  await client.cleanupLeases({ dryRun: false, index: 'ä', includeActive: true });
  await client.clearState({ migrationId: 'a__b__1', undo: false });
  await client.list({ status: ['ACTIVE', 'FAILED'], size: 5 });
  await client.cancel('a');
  await client.timeline('a');
  await client.shard('a', 3);
  expect((await client.migration('a__b__1')).phase).toBe('COMPLETED');
  await client.migrationTimeline('a__b__1');
  await client.migrationShard('a/..', 3);
  await client.previewTransform('a', { transform_script: { type: 'inline', source: 'x' } });
  await client.plan('a', { target_index: 'b', alias: 'c' });
  await client.createTarget('a', { target_index: 'b', number_of_shards: 4 });
  await client.createTarget('a', { target_index: 'b' }, { dryRun: false });
  expect((await client.settings({ includeDefaults: true })).persistent['aosc.a']).toBe('1');
  await client.putSettings({ persistent: { 'aosc.a': null } });
  expect(seen.map(({ what }) => what)).toEqual([
    'POST /_plugins/_aosc/_admin/_cleanup_leases?dry_run=true',
    'POST /_plugins/_aosc/_admin/_cleanup_leases?dry_run=false&index=%C3%A4&include_active=true',
    'POST /_plugins/_aosc/_admin/_clear_state?dry_run=true&migration_id=a__b__1&undo=false',
    'GET /_plugins/_aosc/_list?status=ACTIVE%2CFAILED&size=5',
    'POST /_plugins/_aosc/a/_cancel',
    'GET /_plugins/_aosc/a/_timeline',
    'GET /_plugins/_aosc/a/_shards/3',
    'GET /_plugins/_aosc/_migrations/a__b__1',
    'GET /_plugins/_aosc/_migrations/a__b__1/_timeline',
    'GET /_plugins/_aosc/_migrations/a%2F../_shards/3',
    'POST /_plugins/_aosc/a/_preview_transform',
    'POST /_plugins/_aosc/a/_plan',
    'POST /_plugins/_aosc/a/_create_target?dry_run=true',
    'POST /_plugins/_aosc/a/_create_target?dry_run=false',
    'GET /_cluster/settings?flat_settings=true&include_defaults=true',
    'PUT /_cluster/settings?flat_settings=true',
  ]);
  expect(seen.at(-1)?.body).toBe('{"persistent":{"aosc.a":null}}');
});

test("the API's error, with its status, type and reason, and without the credentials", async () => {
  const { client } = await clientOf(() => refusal(404, 'resource_not_found_exception', 'no migration'), {
    credentials: secret,
  });
  const error: unknown = await client.status('a').catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({
    status: 404,
    type: 'resource_not_found_exception',
    reason: 'no migration',
    rootCause: [{ type: 'resource_not_found_exception', reason: 'no migration' }],
    request: { method: 'GET', path: '/_plugins/_aosc/a/_status' },
  });
  expect(JSON.stringify(error) + String(error)).not.toContain('top-secret-key');
});

test("a proxy's page is an error of an unknown type, and not quoted", async () => {
  const { client } = await clientOf(() => ({ status: 403, body: '<html>page</html>' }));
  await expect(client.status('a')).rejects.toMatchObject({ status: 403, type: 'unknown' });
});

test('fields of a newer API are let through', async () => {
  const status = { ...createStatus('ACTIVE'), new_field: { deep: [1] } };
  const { client } = await clientOf(() => ({ body: status }));
  expect(await client.status('a')).toEqual(status);
});

test.each<[string, unknown]>([
  ['a missing field', { ...createStatus('ACTIVE'), shards: undefined }],
  ['a phase that there is not', { ...createStatus('ACTIVE'), phase: 'DONE' }],
  ['a wrong type further in', { ...createStatus('ACTIVE'), meta: { a: 1 } }],
  ['a text', 'ok'],
])('an answer with %s is an error that does not quote it', async (_, body) => {
  const { client, seen } = await clientOf(() => ({ body }));
  const error: unknown = await client.status('a').catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(AnswerError);
  expect(String(error)).not.toContain('DONE');
  expect(seen).toHaveLength(1);
});

test('questions are asked again, with bounds', async () => {
  const { client, seen } = await clientOf((_, n) =>
    n === 0 ? { cut: true } : n === 1 ? refusal(503, 'x') : { body: createStatus('ACTIVE') },
  );
  expect((await client.status('a')).phase).toBe('ACTIVE');
  expect(seen).toHaveLength(3);
});

test('and the last error is thrown', async () => {
  const { client, seen } = await clientOf(() => refusal(503, 'service_unavailable_exception'));
  await expect(client.list()).rejects.toMatchObject({ status: 503 });
  expect(seen).toHaveLength(3);
});

test('a start is sent once when its answer is lost, or when the API says that it is in doubt', async () => {
  const { client, seen } = await clientOf((_, n) => (n === 0 ? { cut: true } : refusal(503, 'x')));
  await expect(client.start('a', start)).rejects.toBeInstanceOf(ConnectionError);
  await expect(client.start('a', start)).rejects.toBeInstanceOf(ApiError);
  expect(seen).toHaveLength(2);
});

test('a start that was turned away for the rate is sent again', async () => {
  const { client, seen } = await clientOf((_, n) =>
    n === 0 ? { ...refusal(429, 'rate_limited_exception'), headers: { 'retry-after': '0' } } : started,
  );
  await client.start('a', start);
  expect(seen).toHaveLength(2);
});

test('a redirection is not followed: credentials go to no other server', async () => {
  const other = await serve(() => started);
  try {
    const redirect = { status: 307, headers: { location: `${other.url}/` } };
    const { client } = await clientOf(() => redirect, { credentials: secret });
    await expect(client.start('a', start)).rejects.toBeInstanceOf(ConnectionError);
    expect(other.seen).toEqual([]);
  } finally {
    await other.stop();
  }
});

test('a silent API is given up after its time', async () => {
  const { client } = await clientOf(() => ({ silent: true }), { timeoutMs: 50, retry: { attempts: 1 } });
  await expect(client.status('a')).rejects.toThrow('no complete answer within 50 ms');
});

test('a signal ends a call, with its reason, also between two attempts', async () => {
  const { client, seen } = await clientOf(() => refusal(503, 'x'), {
    retry: { baseMs: 60_000, maxMs: 60_000 },
  });
  const controller = new AbortController();
  const call = client.status('a', { signal: controller.signal });
  const reason = new Error('enough');
  setTimeout(() => controller.abort(reason), 100);
  await expect(call).rejects.toBe(reason);
  expect(seen).toHaveLength(1);
});

test('an answer that is too large is not read to its end', async () => {
  const { client } = await clientOf(() => ({ body: 'x'.repeat(5000) }), { maxAnswerBytes: 1000 });
  await expect(client.status('a')).rejects.toThrow('it has more than 1000 bytes');
});

test('an API that is not ready says why', async () => {
  const body = { ok: false, checks: [{ name: 'redis', ok: false, reason: 'away' }] };
  const { client, seen } = await clientOf(() => ({ status: 503, body }));
  expect(await client.readiness()).toEqual(body);
  expect(seen).toHaveLength(1);
});

test('nobody listens', async () => {
  const gone = await serve(() => started);
  await gone.stop();
  const client = createAoscClient({ url: gone.url, retry: quick });
  await expect(client.status('a')).rejects.toThrow(/ECONNREFUSED/);
});

test.each<[string, ClientOptions]>([
  ['what is no URL', { url: 'nonsense' }],
  ['another scheme', { url: 'ftp://a' }],
  ['a user in the URL', { url: 'http://u:p@localhost' }],
  ['a query', { url: 'http://localhost/?a' }],
  ['credentials over a network in the clear', { url: 'http://aosc.example', credentials: secret }],
])('refuses %s', (_, options) => expect(() => createAoscClient(options)).toThrow(TypeError));

test('credentials go over TLS, to this machine, or where that is allowed', () => {
  for (const url of ['https://aosc.example', 'http://localhost:9650', 'http://[::1]:9650']) {
    createAoscClient({ url, credentials: secret });
  }
  createAoscClient({ url: 'http://aosc.example', credentials: secret, allowPlainCredentials: true });
});

test.each(['', '.', '..'])('[%s] is no name of an index', async (index) => {
  const client = createAoscClient({ url: 'http://localhost' });
  await expect(client.status(index)).rejects.toThrow(TypeError);
});

test('a path in front of the API stays', async () => {
  server = await serve(() => ({ body: createStatus('ACTIVE') }));
  await createAoscClient({ url: `${server.url}/aosc/` }).status('a');
  expect(server.seen[0]?.what).toBe('GET /aosc/_plugins/_aosc/a/_status');
});
