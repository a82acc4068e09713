import type { BulkItem } from '@aosc/engine';
import { waitUntil } from '@aosc/local-stack';
import { allocationSetting, type Cluster, oneShard, borrowCluster } from './__tests__/cluster';

jest.setTimeout(60_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
}, 300_000);
afterAll(() => cluster.stop());

const bigVersion = '9223372036854775806';

function item(id: string, version: string, source: string, routing?: string): BulkItem {
  return {
    kind: 'index',
    document: {
      idToken: JSON.stringify(id),
      routingToken: routing === undefined ? undefined : JSON.stringify(routing),
      version,
      source: Buffer.from(source),
      size: source.length + id.length,
    },
  };
}

/** @returns an index with refreshes off, and its fence */
async function createTarget(settings: object = {}): Promise<{ index: string; fence: string }> {
  const fence = cluster.name('fence');
  const index = await cluster.create({
    settings: { ...oneShard, refresh_interval: '-1', ...settings },
    mappings: { dynamic: false },
    aliases: { [fence]: { is_hidden: true } },
  });
  return { index, fence };
}

/** Only the fence says where a bulk goes. */
const anyIndex = () => cluster.index('any');
const bulk = (fence: string, items: readonly BulkItem[]) =>
  anyIndex().writes.bulk(fence, items, cluster.call);

test('sources go through read and bulk byte for byte, line breaks between tokens apart', async () => {
  const stored = [
    '  \n\t {"a" : 1,\r\n "b": "x"  }\r',
    '\ufeff{"a":18446744073709551617,"b":1e400,"c":-0,"d":1.0}',
    '{"a":4 /* " \n } */ , "b": "\\ud800 \u2028"} /* x */',
    '{"a":5 // c " }\n ,"b":1}',
  ];
  const index = await cluster.create({ settings: oneShard, mappings: { dynamic: false } });
  for (const [id, body] of stored.entries()) {
    await cluster.client.send({ method: 'PUT', path: `/${index}/_doc/${id}`, body }, cluster.call);
  }
  const readAll = async (from: string) => {
    const { state, snapshots } = cluster.index(from);
    await state.refresh(cluster.call);
    const { primaries } = await state.readRouting(cluster.call);
    const copy = { shard: 0, nodeId: primaries[0]?.nodeId ?? '' };
    const pitId = await snapshots.open(copy, 60_000, cluster.call);
    const selection = { kind: 'range', from: 0, to: 100 } as const;
    const page = await snapshots.readDocuments(
      { pitId, keepAliveMs: 60_000, selection, size: 100 },
      cluster.call,
    );
    await snapshots.close([pitId], cluster.call);
    return page.documents;
  };
  const { index: copy, fence } = await createTarget();
  const documents = await readAll(index);
  expect(
    await bulk(
      fence,
      documents.map((document) => ({ kind: 'index', document })),
    ),
  ).toMatchObject({ failures: [] });
  const copied = (await readAll(copy)).map((document) => Buffer.from(document.source).toString('utf8'));
  expect(copied).toEqual([
    ...stored.slice(0, 3).map((body) => body.replace(/[\r\n]/g, ' ')),
    '{"a":5           ,"b":1}',
  ]);
});

test('a bulk through a missing alias is fenced, deletes included, and makes no index', async () => {
  const gone = cluster.name('gone');
  const remove: BulkItem = { kind: 'delete', key: { id: '1', routing: undefined }, seqNo: 0, primaryTerm: 1 };
  for (const items of [[remove], [item('1', '3', '{}'), remove]]) {
    expect(await bulk(gone, items)).toMatchObject({
      type: 'answered',
      failures: items.map((_item, index) => ({ index, kind: 'fenced', status: 404 })),
    });
  }
  expect((await cluster.client.send({ method: 'GET', path: `/${gone}` }, cluster.call)).status).toBe(404);
});

test('a document through the bare index name is fenced: the alias is required', async () => {
  const { index } = await createTarget();
  expect(await bulk(index, [item('1', '1', '{}')])).toMatchObject({ failures: [{ kind: 'fenced' }] });
});

test('realtime reads see an unrefreshed document with its routing and a version over 2^53', async () => {
  const { index, fence } = await createTarget();
  await bulk(fence, [item('a', bigVersion, '{"a":1}', 'r "1"\n'), item('b', '0', '{}')]);
  const keys = [
    { id: 'b', routing: undefined },
    { id: 'none', routing: undefined },
    { id: 'a', routing: 'r "1"\n' },
  ];
  expect(await cluster.index(index).state.getDocuments(keys, cluster.call)).toMatchObject([
    { found: true, version: '0', routing: undefined, seqNo: 1, primaryTerm: 1 },
    { found: false },
    { found: true, version: bigVersion, routing: 'r "1"\n', seqNo: 0, primaryTerm: 1 },
  ]);
});

test('writing the same version again is harmless, a lower one conflicts', async () => {
  const { fence } = await createTarget();
  await bulk(fence, [item('a', bigVersion, '{}')]);
  expect(await bulk(fence, [item('a', bigVersion, '{}'), item('a', '7', '{}')])).toMatchObject({
    type: 'answered',
    failures: [{ index: 1, kind: 'conflict', status: 409 }],
  });
});

test('a delete needs the document as it was seen', async () => {
  const { index, fence } = await createTarget();
  await bulk(fence, [item('a', '5', '{}', 'r'), item('b', '5', '{}')]);
  const remove = (id: string, routing: string | undefined, seqNo: number): BulkItem => ({
    kind: 'delete',
    key: { id, routing },
    seqNo,
    primaryTerm: 1,
  });
  const outcome = await bulk(fence, [
    remove('a', 'r', 1),
    remove('none', undefined, 0),
    remove('b', undefined, 1),
  ]);
  expect(outcome).toMatchObject({
    failures: [
      { index: 0, kind: 'conflict' },
      { index: 1, kind: 'conflict' },
    ],
  });
  const keys = [
    { id: 'a', routing: 'r' },
    { id: 'b', routing: undefined },
  ];
  expect(await cluster.index(index).state.getDocuments(keys, cluster.call)).toMatchObject([
    { found: true },
    { found: false },
  ]);
});

test('a document that the mapping refuses is fatal, and the others are written', async () => {
  const { fence } = await createTarget();
  expect(await bulk(fence, [item('a', '1', '{"a"'), item('b', '1', '{}')])).toMatchObject({
    type: 'answered',
    failures: [{ index: 0, kind: 'fatal', status: 400, type: 'mapper_parsing_exception' }],
  });
});

test('the default pipeline of the target is not run, for deletes neither', async () => {
  const pipeline = cluster.name('pipeline');
  const processors = [{ set: { field: 'touched', value: true } }];
  await cluster.json('PUT', `/_ingest/pipeline/${pipeline}`, { processors });
  const { index, fence } = await createTarget({ default_pipeline: pipeline });
  const outcome = await bulk(fence, [
    item('a', '1', '{"a":1}'),
    { kind: 'delete', key: { id: 'x', routing: undefined }, seqNo: 0, primaryTerm: 1 },
  ]);
  expect(outcome).toMatchObject({ failures: [{ index: 1, kind: 'conflict' }] });
  expect(await cluster.json('GET', `/${index}/_doc/a`)).toMatchObject({ _source: { a: 1 } });
  expect(JSON.stringify(await cluster.json('GET', `/${index}/_doc/a`))).not.toContain('touched');
  await cluster.json('PUT', `/${index}/_settings`, { 'index.default_pipeline': null });
  await cluster.json('DELETE', `/_ingest/pipeline/${pipeline}`);
});

test('a bulk that waits for its primary is found by its opaque id after its client has gone', async () => {
  const fence = cluster.name('fence');
  const index = await cluster.createUnallocated({ settings: oneShard, aliases: { [fence]: {} } });
  const control = new AbortController();
  const opaqueId = cluster.name('opaque');
  const running = anyIndex().writes.bulk(fence, [item('a', '1', '{}')], { signal: control.signal, opaqueId });
  const tasks = async () => (await anyIndex().tasks.listBulks((id) => id === opaqueId, cluster.call)).running;
  await waitUntil(async () => (await tasks()).length === 2, {
    what: 'the bulk runs',
    timeoutMs: 30_000,
    endedBy: [],
  });
  // Those who ask together get each their own.
  const own = [opaqueId, 'of another', opaqueId].map(async (wanted) => {
    const { running: found, answered } = await anyIndex().tasks.listBulks(
      (id) => id === wanted,
      cluster.call,
    );
    return [found.length, answered.length];
  });
  expect(await Promise.all(own)).toEqual([
    [2, 1],
    [0, 1],
    [2, 1],
  ]);
  control.abort();
  expect(await running).toMatchObject({ type: 'unknown' });
  expect(await tasks()).toHaveLength(2);
  await cluster.json('PUT', `/${index}/_settings`, { [allocationSetting]: null });
  await waitUntil(async () => (await tasks()).length === 0, {
    what: 'the bulk is done',
    timeoutMs: 30_000,
    endedBy: [],
  });
  // what its client never heard of was applied all the same
  const keys = [{ id: 'a', routing: undefined }];
  expect(await cluster.index(index).state.getDocuments(keys, cluster.call)).toMatchObject([{ found: true }]);
});

test('an error of one document is thrown, never "not found"', async () => {
  const keys = [{ id: 'a', routing: undefined }];
  await expect(
    cluster.index(cluster.name('none')).state.getDocuments(keys, cluster.call),
  ).rejects.toMatchObject({
    kind: 'not_found',
  });
});

test('a fence name that could reach other indices is refused before anything is sent', async () => {
  await expect(bulk('a*', [item('a', '1', '{}')])).rejects.toMatchObject({ kind: 'invalid' });
});
