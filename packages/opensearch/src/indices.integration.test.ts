import { nodeIdOf } from '@aosc/domain';
import { waitUntil } from '@aosc/local-stack';
import { type Cluster, oneShard, borrowCluster } from './__tests__/cluster';
import { createIndex, deleteDocument, getDocuments, indexDocument } from './index';

jest.setTimeout(60_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
}, 300_000);
afterAll(() => cluster.stop());

test('an index is described with what is in effect, and only under its own name', async () => {
  const alias = cluster.name('Alias');
  const properties = { filter: { term: { a: 1 } }, index_routing: '1', search_routing: '2', is_hidden: true };
  const index = await cluster.create({
    settings: { number_of_shards: 3, number_of_replicas: 0, 'sort.field': ['a', 'b'], gc_deletes: '5s' },
    mappings: { properties: { a: { type: 'long' }, b: { type: 'long' } } },
    aliases: { [alias]: properties, [`${alias}-bare`]: {} },
  });
  const description = await cluster.index(index).state.describe(cluster.call);
  expect(description).toMatchObject({
    index,
    open: true,
    shardCount: 3,
    routingShardCount: 768,
    routingPartitionSize: 1,
    settings: { 'index.gc_deletes': '5s', 'index.sort.field': '["a","b"]' },
  });
  expect(description?.settings).not.toHaveProperty('index.final_pipeline');
  expect([...(description?.aliases.keys() ?? [])].toSorted()).toEqual([alias, `${alias}-bare`].toSorted());
  expect(JSON.parse(description?.aliases.get(alias)?.json ?? '')).toEqual(properties);
  expect(description?.aliases.get(`${alias}-bare`)).toEqual({ json: '{}' });
  expect(await cluster.index(cluster.name('none')).state.describe(cluster.call)).toBeUndefined();
  const lower = alias.toLowerCase();
  await cluster.ports.aliases.update([{ add: { index, alias: lower } }], cluster.call);
  expect(await cluster.index(lower).state.describe(cluster.call)).toBeUndefined();
  await expect(cluster.index(`${index.slice(0, -1)}*`).state.describe(cluster.call)).rejects.toMatchObject({
    kind: 'invalid',
  });
  await cluster.json('POST', `/${index}/_close`);
  expect(await cluster.index(index).state.describe(cluster.call)).toMatchObject({
    open: false,
    uuid: description?.uuid,
  });
});

test('aliases are found both ways', async () => {
  const [one, other] = [cluster.name('Alias'), cluster.name('other')];
  const index = await cluster.create({
    settings: oneShard,
    aliases: { [one]: { is_hidden: true }, [other]: {} },
  });
  expect(await cluster.ports.aliases.indicesOf(one, cluster.call)).toEqual([index]);
  expect(await cluster.ports.aliases.indicesOf(cluster.name('none'), cluster.call)).toEqual([]);
  expect(await cluster.ports.aliases.indicesOf(index, cluster.call)).toEqual([]);
  expect(await cluster.index(index).aliases.list('it-Alias-*', cluster.call)).toEqual([one]);
  expect(await cluster.index(index).aliases.list('none*', cluster.call)).toEqual([]);
  await cluster.ports.index(index).settings.put({ 'index.blocks.metadata': true }, cluster.call);
  expect(await cluster.ports.aliases.indicesOf(one, cluster.call)).toEqual([index]);
  await cluster.ports.index(index).settings.put({ 'index.blocks.metadata': null }, cluster.call);
  await expect(cluster.index(one).aliases.list('*', cluster.call)).rejects.toMatchObject({
    kind: 'not_found',
  });
});

test('an alias update with a missing must_exist changes nothing and says so', async () => {
  const [token, added] = [cluster.name('token'), cluster.name('added')];
  const index = await cluster.create({ settings: oneShard, aliases: { [token]: { is_hidden: true } } });
  const take = [{ add: { index, alias: added } }, { remove: { index, alias: token, must_exist: true } }];
  expect(await cluster.ports.aliases.update(take, cluster.call)).toEqual({ type: 'acknowledged' });
  const again = [{ remove: { index, alias: added } }, ...take.slice(1)];
  expect(await cluster.ports.aliases.update(again, cluster.call)).toMatchObject({ type: 'missing' });
  expect(await cluster.index(index).aliases.list('*', cluster.call)).toEqual([added]);
  const elsewhere = [{ add: { index: cluster.name('none'), alias: added } }];
  expect(await cluster.ports.aliases.update(elsewhere, cluster.call)).toMatchObject({ type: 'missing' });
  const tolerant = [{ remove: { index, alias: token, must_exist: false } }];
  expect(await cluster.ports.aliases.update(tolerant, cluster.call)).toEqual({ type: 'acknowledged' });
});

test('of equal alias updates at once that consume an alias one takes effect', async () => {
  const index = await cluster.create({ settings: oneShard });
  const [before, after] = [`before-${index}`, `after-${index}`];
  await cluster.ports.aliases.update([{ add: { index, alias: before } }], cluster.call);
  const move = [{ remove: { index, alias: before, must_exist: true } }, { add: { index, alias: after } }];
  const updates = await Promise.all(
    Array.from({ length: 8 }, () => cluster.ports.aliases.update(move, cluster.call)),
  );
  expect(updates.map(({ type }) => type).toSorted()).toEqual([
    'acknowledged',
    ...Array.from({ length: 7 }, () => 'missing'),
  ]);
  expect(await cluster.index(index).aliases.list('*', cluster.call)).toEqual([after]);
});

test('a write block is confirmed once; asking again proves nothing', async () => {
  const index = await cluster.create({ settings: oneShard });
  const condition = 'create';
  await indexDocument(cluster.client, index, { id: 'a', body: '{}', condition }, cluster.call);
  expect(await cluster.index(index).settings.blockWrites(cluster.call)).toEqual({ confirmed: true });
  expect(await cluster.index(index).settings.blockWrites(cluster.call)).toEqual({ confirmed: false });
  await expect(
    indexDocument(cluster.client, index, { id: 'b', body: '{}', condition }, cluster.call),
  ).rejects.toMatchObject({ kind: 'blocked' });
  expect(await cluster.index(index).state.describe(cluster.call)).toMatchObject({
    settings: { 'index.blocks.write': 'true' },
  });
  expect(await cluster.index(index).settings.readWriteBlock(cluster.call)).toBe('set');
  await cluster.index(index).settings.put({ 'index.blocks.write': null }, cluster.call);
  expect(await cluster.index(index).settings.readWriteBlock(cluster.call)).toBe('none');
  await indexDocument(cluster.client, index, { id: 'b', body: '{}', condition }, cluster.call);
  const { members } = await cluster.ports.readView(undefined, cluster.call);
  expect(await cluster.index(index).tasks.listWrites(cluster.call)).toEqual({
    running: [],
    answered: members.map(nodeIdOf),
  });
  await expect(cluster.index(cluster.name('none')).settings.blockWrites(cluster.call)).rejects.toMatchObject({
    kind: 'not_found',
  });
  await expect(
    cluster.index(index).settings.put({ 'index.nonsense': 1 }, cluster.call),
  ).rejects.toMatchObject({
    kind: 'invalid',
  });
});

test('a write that waits is listed under the index, also when it came through an alias', async () => {
  const alias = cluster.name('alias');
  const index = await cluster.createUnallocated({ settings: oneShard, aliases: { [alias]: {} } });
  const write = { method: 'PUT', path: `/${alias}/_doc/1`, query: { timeout: '3s' }, body: '{}' } as const;
  const running = cluster.client.send(write, cluster.call);
  const isListed = async () => (await cluster.index(index).tasks.listWrites(cluster.call)).running.length > 0;
  await waitUntil(isListed, { what: 'the waiting write', timeoutMs: 30_000, endedBy: [] });
  const other = await cluster.create({ settings: oneShard });
  expect(await cluster.index(other).tasks.listWrites(cluster.call)).toMatchObject({ running: [] });
  // as if the alias had been the other one's when the write began, and not when it began
  const before = { alias, runningForMs: 0 };
  expect((await cluster.index(other).tasks.listWrites(cluster.call, { moved: before })).running).not.toEqual(
    [],
  );
  const after = { alias, runningForMs: 60_000 };
  expect((await cluster.index(other).tasks.listWrites(cluster.call, { moved: after })).running).toEqual([]);
  expect((await running).status).toBe(503);
});

test('members come with the aliases of the index, and of no other', async () => {
  const alias = cluster.name('alias');
  const index = await cluster.create({ settings: oneShard, aliases: { [alias]: {} } });
  const { members, aliases } = await cluster.ports.readView(index, cluster.call);
  expect(members).toEqual([expect.stringMatching(/^[\w-]{22}\/[\w-]{22}$/)]);
  expect(aliases).toEqual([alias]);
  for (const other of [undefined, alias, cluster.name('none')]) {
    expect(await cluster.ports.readView(other, cluster.call)).toEqual({ members, aliases: [] });
  }
});

test('counts take a query and fail on a bad one', async () => {
  const index = await cluster.create({ settings: { number_of_shards: 2, number_of_replicas: 0 } });
  for (const id of ['a', 'b', 'c']) await cluster.json('PUT', `/${index}/_doc/${id}`, { id });
  await cluster.index(index).state.refresh(cluster.call);
  expect(await cluster.index(index).state.count(undefined, cluster.call)).toBe(3);
  expect(await cluster.index(index).state.count({ term: { id: 'b' } }, cluster.call)).toBe(1);
  await expect(cluster.index(index).state.count({ nonsense: {} }, cluster.call)).rejects.toMatchObject({
    kind: 'invalid',
  });
  const [nodeId = ''] = await cluster.ports.dataNodes(cluster.call);
  const copies = [0, 1].map((shard) => ({ shard, nodeId }));
  const counts = await cluster.index(index).state.countCopies(copies, undefined, cluster.call);
  expect(counts).toHaveLength(2);
  expect(counts.reduce((sum, count) => sum + count)).toBe(3);
  const one = await cluster.index(index).state.countCopies(copies, { term: { id: 'b' } }, cluster.call);
  expect([...one].sort()).toEqual([0, 1]);
  await expect(
    cluster.index(index).state.countCopies(copies, { nonsense: {} }, cluster.call),
  ).rejects.toMatchObject({
    kind: 'invalid',
  });
  const elsewhere = copies.map((copy) => ({ ...copy, nodeId: 'n0body' }));
  await expect(
    cluster.index(index).state.countCopies(elsewhere, undefined, cluster.call),
  ).rejects.toMatchObject({
    kind: 'transient',
  });
  await cluster.index(index).state.flush(cluster.call);
});

test('health is read whether the wait succeeds or runs out', async () => {
  const green = await cluster.create({ settings: oneShard });
  const healthy = { status: 'green', activeShards: 1, unassignedShards: 0 };
  expect(await cluster.index(green).state.waitForGreen(10_000, cluster.call)).toEqual(healthy);
  const yellow = await cluster.create({ settings: { ...oneShard, number_of_replicas: 1 } });
  expect(await cluster.index(yellow).state.waitForGreen(1, cluster.call)).toEqual({
    status: 'yellow',
    activeShards: 1,
    unassignedShards: 1,
  });
  expect(await cluster.ports.retryFailedAllocations(cluster.call)).toBe(true);
  expect(await cluster.ports.dataNodes(cluster.call)).toHaveLength(1);
});

test('document calls are compare-and-set', async () => {
  const { client, call } = cluster;
  const index = await cluster.create({ settings: { ...oneShard, refresh_interval: '-1' } });
  expect(await createIndex(client, index, {}, call)).toBe('exists');
  const id = 'a/b c';
  const read = async () => await getDocuments(client, index, [{ id }], { source: true }, call);
  expect(await read()).toEqual([{ found: false, id }]);
  const first = await indexDocument(client, index, { id, body: '{"n":1.0}', condition: 'create' }, call);
  const conflict = { kind: 'conflict' };
  await expect(
    indexDocument(client, index, { id, body: '{}', condition: 'create' }, call),
  ).rejects.toMatchObject(conflict);
  const source = Buffer.from('{"n":1.0}');
  expect(await read()).toMatchObject([
    { ...first, found: true, id, version: '1', routing: undefined, source },
  ]);
  const second = await indexDocument(
    client,
    index,
    { id, body: '{"n":2}', condition: first, refresh: true },
    call,
  );
  await expect(
    indexDocument(client, index, { id, body: '{}', condition: first }, call),
  ).rejects.toMatchObject(conflict);
  expect(await read()).toMatchObject([{ ...second, found: true, id, source: Buffer.from('{"n":2}') }]);
  await expect(deleteDocument(client, index, { id, condition: first }, call)).rejects.toMatchObject(conflict);
  await deleteDocument(client, index, { id, condition: second }, call);
  expect(await getDocuments(client, index, [{ id }, { id: 'x' }], { source: true }, call)).toEqual([
    { found: false, id },
    { found: false, id: 'x' },
  ]);
});
