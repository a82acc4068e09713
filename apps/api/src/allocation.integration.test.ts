import { randomUUID } from 'node:crypto';
import { type Stack, startStack } from '@aosc/local-stack';
import { type ApiUnderTest, errorLike, startApi } from './__tests__/api-under-test';

jest.setTimeout(600_000);

let stack: Stack | undefined;
let aosc: ApiUnderTest;
const prefix = `t-${randomUUID()}`;
const routing = 'index.routing.allocation';

beforeAll(async () => {
  const ofTier = (tier: string) => ({ settings: { 'node.attr.tier': tier } });
  stack = await startStack({ nodes: [ofTier('hot'), ofTier('warm')] });
  aosc = await startApi({ openSearch: stack.openSearchUrls.join(','), redis: stack.redisUrl });
});
afterAll(async () => {
  if (stack !== undefined) await aosc.close();
  await stack?.stop();
});

/** A source whose own shards are all allocated. */
async function makeSource(name: string, settings: object): Promise<string> {
  const source = `${prefix}-${name}`;
  await aosc.cluster('PUT', `/${source}`, {
    settings: { number_of_shards: 2, number_of_replicas: 0, ...settings },
    aliases: { [`${source}-alias`]: {} },
  });
  return source;
}

const create = (source: string, body: object) =>
  aosc.api('POST', `/_plugins/_aosc/${source}/_create_target`, { target_index: `${source}-2`, ...body });

async function settingsOf(index: string): Promise<Record<string, string>> {
  const found = await aosc.cluster('GET', `/${index}?flat_settings=true`);
  return (found as Record<string, { settings: Record<string, string> }>)[index]?.settings ?? {};
}

test.each([
  {
    what: 'shards for each node, of fewer shards',
    settings: { [`${routing}.total_shards_per_node`]: 1 },
    body: { number_of_shards: 8 },
    left: `${routing}.total_shards_per_node`,
    reason: '1 on each of 2 nodes is less than 8 copies',
  },
  {
    what: 'a node that a shrink has gathered the shards on',
    settings: { [`${routing}.require._name`]: 'node-1' },
    body: { settings: { 'index.number_of_replicas': 1 } },
    left: `${routing}.require._name`,
    reason: '1 of 2 data nodes are left, and each shard has 2 copies',
  },
  {
    what: 'a node that was emptied once',
    settings: { [`${routing}.exclude._ip`]: '127.0.0.2', [`${routing}.exclude._name`]: 'node-2,node-9' },
    body: { settings: { 'index.number_of_replicas': 1 } },
    left: `${routing}.exclude._name`,
    reason: '1 of 2 data nodes are left',
  },
])(
  '$what: left out with the reason, and the target is green',
  async ({ what, settings, body, left, reason }) => {
    const source = await makeSource(what.replaceAll(/[ ,]+/g, '-'), settings);
    const answer = await create(source, body);
    expect(answer).toMatchObject({ status: 200, body: { created: true } });
    expect(answer.body).not.toHaveProperty('unassigned');
    const told = { setting: left, reason: expect.stringContaining(reason) as string };
    expect((answer.body as { left_out: unknown }).left_out).toEqual([told]);
    const health = await aosc.cluster(
      'GET',
      `/_cluster/health/${source}-2?wait_for_status=green&timeout=60s`,
    );
    expect(health).toMatchObject({ status: 'green' });
  },
);

test('filters that hold are inherited', async () => {
  const settings = { [`${routing}.include._name`]: 'node-1,node-2', [`${routing}.require.tier`]: 'hot' };
  const source = await makeSource('filters-that-hold', settings);
  expect(await create(source, {})).toMatchObject({ status: 200, body: { left_out: [] } });
  expect(await settingsOf(`${source}-2`)).toMatchObject(settings);
});

test.each([
  ['keeps data on nodes with an attribute', { [`${routing}.require.tier`]: 'hot' }, {}],
  ['was asked for', {}, { [`${routing}.require._name`]: 'node-1' }],
])('one that %s is not left out: refused', async (what, settings, asked) => {
  const source = await makeSource(what.replaceAll(' ', '-'), settings);
  const answer = await create(source, { settings: { 'index.number_of_replicas': 1, ...asked } });
  const [name = ''] = Object.keys({ ...settings, ...asked });
  expect(answer).toEqual(
    errorLike(400, 'illegal_state_exception', `[${name}] would keep the target from getting green`),
  );
});

describe('shards that the cluster keeps from starting', () => {
  const rule = 'cluster.routing.allocation.exclude._name';
  const keepOut = (nodes: string | null) =>
    aosc.cluster('PUT', '/_cluster/settings', { persistent: { [rule]: nodes } });
  afterEach(() => keepOut(null));

  test('the creation, and a start, tell the explanation of the cluster, without the names of nodes', async () => {
    const source = await makeSource('kept-out', {});
    await keepOut('node-1,node-2');
    const { status, body } = await create(source, {});
    expect(status).toBe(200);
    const why = `node matches cluster setting [cluster.routing.allocation.exclude] filters (2 nodes)`;
    expect(body).toMatchObject({
      created: true,
      unassigned: `the primary of shard [0] has no node: filter: ${why}`,
    });
    const start = { target_index: `${source}-2`, alias: `${source}-alias` };
    expect(await aosc.api('POST', `/_plugins/_aosc/${source}/_start`, start)).toEqual(
      errorLike(
        400,
        'illegal_state_exception',
        `(0/2 active); wait for all primaries to start: the primary of shard [0]`,
      ),
    );
  });
});
