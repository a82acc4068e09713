import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { type Stack, startStack } from '@aosc/local-stack';
import { createLogger, noTraces } from '@aosc/telemetry';
import { callRaw, createHttpClient } from '@aosc/testkit';
import { connectCluster } from '../../../packages/runtime/src/connect';
import { type ApiUnderTest, errorLike, startApi } from './__tests__/api-under-test';

jest.setTimeout(600_000);

let stack: Stack | undefined;
let aosc: ApiUnderTest;
const prefix = `t-${randomUUID()}`;

/** Servers of a cluster in which no node runs pipelines, and the second leaves the types out of its errors. */
let servers: { readonly openSearch: string; readonly bare: string; readonly redis: string };
beforeAll(async () => {
  stack = await startStack({
    nodes: [
      { roles: ['cluster_manager', 'data'] },
      { roles: [], heapMb: 256, settings: { 'http.detailed_errors.enabled': false } },
    ],
  });
  const [openSearch = '', bare = ''] = stack.openSearchUrls;
  servers = { openSearch, bare, redis: stack.redisUrl };
  aosc = await startApi(servers);
});
afterAll(async () => {
  if (stack !== undefined) await aosc.close();
  await stack?.stop();
});

async function start(name: string, parts: object): ReturnType<ApiUnderTest['api']> {
  const { source, body } = await prepare(name);
  return aosc.api('POST', `/_plugins/_aosc/${source}/_start`, { ...body, ...parts });
}

async function prepare(name: string) {
  const [source, target, alias] = [`${prefix}-${name}`, `${prefix}-${name}-2`, `${prefix}-${name}-alias`];
  const settings = { number_of_shards: 1, number_of_replicas: 0 };
  await aosc.cluster('PUT', `/${source}`, { settings, aliases: { [alias]: {} } });
  await aosc.cluster('PUT', `/${source}/_doc/1`, { a: 1 });
  await aosc.cluster('PUT', `/${target}`, { settings });
  return { source, body: { target_index: target, alias } };
}
const script = (source: string) => ({ transform_script: { type: 'inline', source } });

test('a transform needs a node with the role ingest', async () => {
  expect(await start('plain-script', script('ctx._source.b = 2'))).toEqual(
    errorLike(400, 'illegal_state_exception', 'no node of the cluster has the role [ingest]'),
  );
});

test.each(['default', 'final'])('the %s pipeline of the target must be there', async (kind) => {
  const { source, body } = await prepare(`without-${kind}`);
  await aosc.cluster('PUT', `/${body.target_index}/_settings`, { [`index.${kind}_pipeline`]: 'nowhere' });
  expect(await aosc.api('POST', `/_plugins/_aosc/${source}/_start`, body)).toEqual(
    errorLike(400, 'illegal_state_exception', 'is [nowhere], and the cluster has no such pipeline'),
  );
});

test('a document that can not be shown as JSON is told as that, and not as a failure of the service', async () => {
  const source = `${prefix}-unreadable`;
  await aosc.cluster('PUT', `/${source}`, {
    settings: { number_of_shards: 1, number_of_replicas: 0 },
    mappings: { enabled: false },
    aliases: { [`${source}-alias`]: {} },
  });
  const http = createHttpClient(stack?.openSearchUrls ?? []);
  await callRaw(http, {
    method: 'PUT',
    path: `/${source}/_doc/bad?refresh=true`,
    contentType: 'application/cbor',
    // {"a": <two bytes that are no UTF-8>}
    body: Buffer.from([0xbf, 0x61, 0x61, 0x62, 0xff, 0xfe, 0xff]),
  });
  http.close();
  await aosc.cluster('PUT', `/${source}-2`, { settings: { number_of_shards: 1, number_of_replicas: 0 } });
  const body = { target_index: `${source}-2`, alias: `${source}-alias`, ...script('ctx._source.b = 2') };
  expect(await aosc.api('POST', `/_plugins/_aosc/${source}/_start`, body)).toEqual(
    errorLike(400, 'illegal_argument_exception', `A document of [${source}] can't be read as JSON`),
  );
});

test.each([
  ['no transform', {}],
  ['one that is identity', script('identity')],
])('%s needs none', async (what, parts) => {
  expect(await start(what.replaceAll(' ', '-'), parts)).toMatchObject({ status: 200 });
});

test('fewer buckets in an answer than the copy counts by are told with the value that is needed', async () => {
  const limit = (value: number | null) =>
    aosc.cluster('PUT', '/_cluster/settings', { persistent: { 'search.max_buckets': value } });
  try {
    await limit(1);
    expect(await start('few-buckets', {})).toEqual(
      errorLike(400, 'illegal_state_exception', '[search.max_buckets] is [1]'),
    );
    await limit(2);
    expect(await start('enough-buckets', {})).toMatchObject({ status: 200 });
  } finally {
    await limit(null);
  }
});

describe('snapshots that the cluster lets live for two minutes', () => {
  const limits = { 'search.default_keep_alive': '1m', 'point_in_time.max_keep_alive': '2m' };
  afterEach(async () => {
    const persistent = Object.fromEntries(Object.keys(limits).map((name) => [name, null]));
    await aosc.cluster('PUT', '/_cluster/settings', { persistent });
  });

  test('are too short for the copy: the start is refused with both settings, and leaves none open', async () => {
    await aosc.cluster('PUT', '/_cluster/settings', { persistent: limits });
    const answer = await start('short', {});
    expect(answer).toEqual(errorLike(400, 'illegal_state_exception', '[point_in_time.max_keep_alive]'));
    expect(JSON.stringify(answer.body)).toContain('300000 ms (AOSC_SNAPSHOT_KEEP_ALIVE_MS)');
    expect(JSON.stringify(answer.body)).not.toContain('not supported');
    const nodes = (await aosc.cluster('GET', '/_nodes/data:true/stats/indices/search')) as {
      nodes: Record<string, { indices: { search: { point_in_time_current: number } } }>;
    };
    const open = Object.values(nodes.nodes).map(({ indices }) => indices.search.point_in_time_current);
    expect(open).toEqual([0]);
  });
});

describe('a node whose errors have no types', () => {
  let behindIt: ApiUnderTest;
  beforeAll(async () => {
    behindIt = await startApi({ openSearch: servers.bare, redis: servers.redis });
  });
  afterAll(() => behindIt.close());
  const reason = 'a node has [http.detailed_errors.enabled: false]';

  test('is told by the readiness, and a start is refused', async () => {
    const ready = await behindIt.api('GET', '/readyz');
    expect(ready.status).toBe(503);
    expect(JSON.stringify(ready.body)).toContain(reason);
    const { source, body } = await prepare('bare-errors');
    expect(await behindIt.api('POST', `/_plugins/_aosc/${source}/_start`, body)).toEqual(
      errorLike(400, 'illegal_state_exception', `This cluster is not supported: ${reason}`),
    );
  });

  test('keeps a worker from starting', async () => {
    const logger = createLogger({ app: 'worker', level: 'error', stream: new PassThrough().resume() });
    const options = { urls: [servers.bare], requestTimeoutMs: 30_000 };
    await expect(connectCluster(options, logger, noTraces, new AbortController().signal)).rejects.toThrow(
      reason,
    );
  });
});

test('a cluster that is read-only: neither a dry run nor the readiness says that a start can work', async () => {
  const { source, body } = await prepare('sealed');
  const path = `/_plugins/_aosc/${source}/_start`;
  const readOnly = (value: true | null) =>
    aosc.cluster('PUT', '/_cluster/settings', { persistent: { 'cluster.blocks.read_only': value } });
  const reason = "the service can't write its records: [cluster read-only (api)] of the cluster";
  await readOnly(true);
  try {
    for (const query of ['', '?dry_run=true']) {
      expect(await aosc.api('POST', `${path}${query}`, body)).toEqual(
        errorLike(503, 'service_unavailable_exception', `Nothing was started: ${reason}`),
      );
    }
    const ready = await aosc.api('GET', '/readyz');
    expect(ready.status).toBe(503);
    expect(JSON.stringify(ready.body)).toContain(reason);
  } finally {
    await readOnly(null);
  }
  expect(await aosc.api('GET', '/readyz')).toMatchObject({ status: 200 });
  expect(await aosc.api('POST', `${path}?dry_run=true`, body)).toMatchObject({ status: 200 });
});

test('an index whose metadata is blocked is refused with the way out, wherever it is named', async () => {
  const { source, body } = await prepare('unseen');
  const block = (index: string, value: true | null) =>
    aosc.cluster('PUT', `/${index}/_settings`, { 'index.blocks.metadata': value });
  const refusal = (role: string, index: string) =>
    errorLike(
      400,
      'illegal_state_exception',
      `${role} index [${index}] can't be looked at; remove the block first, with PUT /${index}/_settings`,
    );
  const ofSource = `/_plugins/_aosc/${source}`;
  for (const [role, index] of [
    ['source', source],
    ['target', body.target_index],
  ] as const) {
    await block(index, true);
    for (const query of ['', '?dry_run=true']) {
      expect(await aosc.api('POST', `${ofSource}/_start${query}`, body)).toEqual(refusal(role, index));
    }
    if (role === 'source') {
      const made = { target_index: `${source}-3` };
      expect(await aosc.api('POST', `${ofSource}/_create_target`, made)).toEqual(refusal(role, index));
    }
    await block(index, null);
  }
  // An index that the migration has nothing to do with is no obstacle.
  await aosc.cluster('PUT', `/${source}-other`, {});
  await block(`${source}-other`, true);
  expect(await aosc.api('POST', `${ofSource}/_start`, body)).toMatchObject({ status: 200 });
  await block(`${source}-other`, null);
});
