import { createParser } from '@aosc/contract';
import { isNodeRefused, type ShardCopy } from '@aosc/engine';
import { createClient, createClusterPorts } from '@aosc/opensearch';
import { timeLimit } from '@aosc/signals';
import { callJson } from '@aosc/testkit';
import { Type } from '@sinclair/typebox';
import { type Environment, startEnvironment } from './support/environment';
import { expectClean } from './support/expectations';
import { heldConvergence, letConverge, untilConverging } from './support/held-convergence';
import { removeIndices, runMigration } from './support/scenario';

jest.setTimeout(600_000);

let environment: Environment;
beforeAll(async () => {
  environment = await startEnvironment({
    nodes: ['a', 'b'].map((zone) => ({ settings: { 'node.attr.zone': zone } })),
    openSearchSettings: { 'cluster.routing.allocation.awareness.attributes': 'zone' },
  });
});
afterAll(() => environment.stop());

const put = (path: string, body: object) => callJson(environment.http, (answer) => answer, 'PUT', path, body);

const parseWeights = createParser(
  'answer of _cluster/routing/awareness/zone/weights',
  Type.Object({ _version: Type.Optional(Type.Integer()) }),
);

async function readVersion(): Promise<number> {
  const path = '/_cluster/routing/awareness/zone/weights';
  const { _version = -1 } = await callJson(environment.http, parseWeights, 'GET', path);
  return _version;
}

/** Zone `b` stands by: no search without a preference reaches it. */
async function giveWeights(): Promise<void> {
  const weights = { a: '1', b: '0' };
  await put('/_cluster/routing/awareness/zone/weights', { weights, _version: await readVersion() });
}
async function takeWeights(): Promise<void> {
  const body = { _version: await readVersion() };
  await callJson(environment.http, (answer) => answer, 'DELETE', '/_cluster/routing/awareness/weights', body);
}

const sides = {
  source: { shards: 2, replicas: 1, routingShards: 12 },
  documents: 1_000,
} as const;

test.each([
  { name: 'zones-split', target: { shards: 4, replicas: 1, routingShards: 12 }, options: {} },
  {
    name: 'zones-bulk',
    target: { shards: 3, replicas: 0, routingShards: 9 },
    options: { accept_data_loss_if_custom_routing_is_used: true },
  },
])('zones have weights, and one has none: $name is exact', async ({ name, target, options }) => {
  await giveWeights();
  const result = await runMigration(environment, { ...sides, name, target, options });
  expectClean(result);
  await removeIndices(environment, result.migration);
});

test('the zones get weights while a migration runs', async () => {
  await takeWeights();
  const target = { shards: 4, routingShards: 12 };
  const scenario = { ...sides, name: 'zones-late', target, options: heldConvergence };
  const result = await runMigration(environment, scenario, async (migration) => {
    await untilConverging(migration);
    await giveWeights();
    await letConverge(migration);
  });
  expectClean(result);
  await removeIndices(environment, result.migration);
});

test('while zones have weights, no other copy answers for the named one', async () => {
  await giveWeights();
  const { http, urls } = environment;
  const index = 'zones-copies';
  await callJson(http, (answer) => answer, 'PUT', `/${index}`, {
    settings: { number_of_shards: 1, number_of_replicas: 1, refresh_interval: '-1' },
  });
  const client = createClient({ nodes: urls });
  try {
    const call = { signal: timeLimit(60_000) };
    const { state, snapshots } = createClusterPorts(client).index(index);
    await state.waitForGreen(30_000, call);
    const { shape, primaries } = await state.readRouting(call);
    const primary = primaries[0]?.nodeId ?? '';
    const nodes = await createClusterPorts(client).dataNodes(call);
    const replica = nodes.find((id) => id !== primary) ?? '';
    await put(`/${index}/_doc/1`, { n: 1 });
    const key = { id: '1', routing: undefined };
    await expect(state.getDocuments([key], call, primary).catch(isNodeRefused)).resolves.toBe(true);

    const of = (nodeId: string): ShardCopy => ({ shard: 0, nodeId });
    await expect(snapshots.refreshCopy(of(replica), shape, call)).rejects.toMatchObject({
      kind: 'transient',
    });
    await expect(state.countCopies([of(replica)], undefined, call)).rejects.toMatchObject({
      kind: 'transient',
    });
    await expect(snapshots.open(of(replica), 10_000, call)).rejects.toMatchObject({ kind: 'transient' });

    await put(`/${index}/_doc/2`, { n: 2 });
    await snapshots.refreshCopy(of(primary), shape, call);
    expect(await state.countCopies([of(primary)], undefined, call)).toEqual([2]);
    const pitId = await snapshots.open(of(primary), 10_000, call);
    expect(await snapshots.measure(pitId, 10_000, call)).toEqual({ documentCount: 2, maxSeqNo: 1 });
    await snapshots.close([pitId], call);
  } finally {
    await client.close();
  }
});
