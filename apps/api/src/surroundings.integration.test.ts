import { randomUUID } from 'node:crypto';
import { type Stack, startStack } from '@aosc/local-stack';
import { callRaw, createHttpClient } from '@aosc/testkit';
import { type ApiUnderTest, errorLike, startApi } from './__tests__/api-under-test';

jest.setTimeout(600_000);

let stack: Stack | undefined;
let aosc: ApiUnderTest;
const prefix = `t-${randomUUID()}`;

/** A cluster in which no node runs pipelines. */
beforeAll(async () => {
  stack = await startStack({ nodes: [{ roles: ['cluster_manager', 'data'] }] });
  aosc = await startApi({ openSearch: stack.openSearchUrls.join(','), redis: stack.redisUrl });
});
afterAll(async () => {
  if (stack !== undefined) await aosc.close();
  await stack?.stop();
});

async function start(name: string, parts: object): ReturnType<ApiUnderTest['api']> {
  const [source, target, alias] = [`${prefix}-${name}`, `${prefix}-${name}-2`, `${prefix}-${name}-alias`];
  const settings = { number_of_shards: 1, number_of_replicas: 0 };
  await aosc.cluster('PUT', `/${source}`, { settings, aliases: { [alias]: {} } });
  await aosc.cluster('PUT', `/${source}/_doc/1`, { a: 1 });
  await aosc.cluster('PUT', `/${target}`, { settings });
  return aosc.api('POST', `/_plugins/_aosc/${source}/_start`, { target_index: target, alias, ...parts });
}
const script = (source: string) => ({ transform_script: { type: 'inline', source } });

test('a transform needs a node with the role ingest', async () => {
  expect(await start('plain-script', script('ctx._source.b = 2'))).toEqual(
    errorLike(400, 'illegal_state_exception', 'no node of the cluster has the role [ingest]'),
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
    const nodes = (await aosc.cluster('GET', '/_nodes/stats/indices/search')) as {
      nodes: Record<string, { indices: { search: { point_in_time_current: number } } }>;
    };
    const open = Object.values(nodes.nodes).map(({ indices }) => indices.search.point_in_time_current);
    expect(open).toEqual([0]);
  });
});
