import {
  type Call,
  ClusterError,
  isClusterError,
  type ClusterPorts,
  type PageRequest,
  type Selection,
  type ShardCopy,
} from '@aosc/engine';
import { waitUntil } from '@aosc/local-stack';
import { allocationSetting, type Cluster, oneShard, borrowCluster } from './__tests__/cluster';
import { createClusterPorts, documentPath, type OpenSearchClient } from './index';

jest.setTimeout(60_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
}, 300_000);
afterAll(() => cluster.stop());

const keepAliveMs = 60_000;
/** Of any index: the id of a point in time is enough. */
const snapshots = () => cluster.index('any').snapshots;
const everything = { kind: 'range', from: 0, to: 1_000_000 } as const;
const page = (pitId: string, more: Partial<PageRequest> = {}): PageRequest => ({
  pitId,
  keepAliveMs,
  selection: everything,
  size: 1000,
  ...more,
});

/** Where shard 0 is. */
async function primaryOf(index: string): Promise<ShardCopy> {
  const { primaries } = await cluster.index(index).state.readRouting(cluster.call);
  const nodeId = primaries[0]?.nodeId;
  if (nodeId === undefined) throw new Error(`${index} has no primary`);
  return { shard: 0, nodeId };
}

async function snapshotOf(index: string): Promise<string> {
  const copy = await primaryOf(index);
  const { shape } = await cluster.index(index).state.readRouting(cluster.call);
  const own = cluster.index(index).snapshots;
  await own.refreshCopy(copy, shape, cluster.call);
  return own.open(copy, keepAliveMs, cluster.call);
}

async function someNode(): Promise<string> {
  const [nodeId] = await cluster.ports.dataNodes(cluster.call);
  if (nodeId === undefined) throw new Error('there is no data node');
  return nodeId;
}

/** Documents as raw bodies, in this order, so that `_seq_no` is the position. */
async function createWith(bodies: readonly (Buffer | string)[], mappings: object = {}): Promise<string> {
  const index = await cluster.create({ settings: oneShard, mappings });
  for (const [id, body] of bodies.entries()) {
    const raw = { method: 'PUT', path: `/${index}/_doc/${id}`, body } as const;
    const { status } = await cluster.client.send(raw, cluster.call);
    expect(status).toBe(201);
  }
  return index;
}

test('a page holds the bytes that were indexed: blanks, line breaks, BOM, comments, numbers as written', async () => {
  const bodies = [
    '  \n\t {"a" : 1,\r\n "b": "x"  }\r',
    '\ufeff{"a":2}',
    '{"a":18446744073709551617,"b":1e400,"c":-0,"d":1.0,"e":1.10}',
    '{"a":4 /* " } */ , "b": "\\ud800 \u2028"}',
    '{"a":5 // c " }\n ,"b":1} /* behind */ ',
    '{"hits":{"hits":[{"_id":"fake","_source":{},"_seq_no":99,"sort":[7]}]}}',
  ];
  const index = await createWith(bodies, { dynamic: false });
  const pitId = await snapshotOf(index);
  const { documents, bytes } = await snapshots().readDocuments(page(pitId), cluster.call);
  expect(documents.map((document) => Buffer.from(document.source).toString('utf8'))).toEqual(bodies);
  expect(documents.map(({ idToken, version }) => [idToken, version])).toEqual(
    bodies.map((_body, id) => [`"${id}"`, '1']),
  );
  expect(bytes).toBeGreaterThan(Buffer.byteLength(bodies.join('')));
  await snapshots().close([pitId], cluster.call);
});

test.each([
  ['in UTF-16', Buffer.from('{"a":1}', 'utf16le')],
  ['with a // comment behind it', Buffer.from('{"a":1} // ,"sort":[0]}')],
])('a source %s is refused, not altered', async (_name, body) => {
  const index = await createWith([body], { dynamic: false });
  const pitId = await snapshotOf(index);
  await expect(snapshots().readDocuments(page(pitId), cluster.call)).rejects.toMatchObject({
    kind: 'invalid',
  });
  await snapshots().close([pitId], cluster.call);
});

test('pages follow one another by search_after and end with a short one', async () => {
  const index = await createWith(['{"a":0}', '{"a":1}', '{"a":2}', '{"a":3}', '{"a":4}']);
  const pitId = await snapshotOf(index);
  const seen: string[] = [];
  let after: string | undefined;
  for (;;) {
    const request = page(pitId, { size: 2, ...(after === undefined ? {} : { after }) });
    const { documents, next } = await snapshots().readDocuments(request, cluster.call);
    seen.push(...documents.map(({ idToken }) => idToken));
    if (documents.length < 2) break;
    after = next;
  }
  expect(seen).toEqual(['"0"', '"1"', '"2"', '"3"', '"4"']);
  const last = await snapshots().readDocuments(
    page(pitId, { selection: { kind: 'range', from: 9, to: 9 } }),
    cluster.call,
  );
  expect(last).toMatchObject({ documents: [], next: undefined });
  await snapshots().close([pitId], cluster.call);
});

test('heads carry id, routing, version and seq_no; selections by seq_no and by id', async () => {
  const index = await cluster.create({ settings: oneShard });
  const routing = 'r "1"\n';
  const id = 'a/b "ü"';
  await cluster.json('PUT', `/${index}/_doc/plain`, {});
  await cluster.json('PUT', `/${index}/_doc/${documentPath(id)}?routing=${encodeURIComponent(routing)}`, {});
  await cluster.json('PUT', `/${index}/_doc/plain?version=9223372036854775806&version_type=external_gte`, {});
  const pitId = await snapshotOf(index);
  const plain = { id: 'plain', routing: undefined, version: '9223372036854775806', seqNo: 2, primaryTerm: 1 };
  const routed = { id, routing, version: '1', seqNo: 1, primaryTerm: 1 };
  const heads = async (selection: PageRequest['selection']) =>
    (await snapshots().readHeads(page(pitId, { selection }), cluster.call)).documents;
  expect(await heads(everything)).toEqual([routed, plain]);
  expect(await heads({ kind: 'seq_nos', seqNos: [2, 7] })).toEqual([plain]);
  expect(await heads({ kind: 'ids', ids: [id] })).toEqual([routed]);
  expect(await heads({ kind: 'ids', ids: [] })).toEqual([]);
  const { documents } = await snapshots().readDocuments(page(pitId), cluster.call);
  expect(documents[0]).toMatchObject({ idToken: JSON.stringify(id), routingToken: JSON.stringify(routing) });
  await snapshots().close([pitId], cluster.call);
});

test('keys are told where U+FFFD may be in one of them', async () => {
  const index = await cluster.create({ settings: oneShard });
  const keys = async () => {
    const pitId = await snapshotOf(index);
    const { documents } = await snapshots().readKeys(page(pitId), cluster.call);
    await snapshots().close([pitId], cluster.call);
    return documents;
  };
  await cluster.json('PUT', `/${index}/_doc/plain?routing=r`, {});
  expect(await keys()).toEqual([undefined]);
  await cluster.json('PUT', `/${index}/_doc/${documentPath('x\ufffd')}`, {});
  expect(await keys()).toEqual([
    { id: 'plain', routing: 'r' },
    { id: 'x\ufffd', routing: undefined },
  ]);
});

test('nested children are counted nowhere', async () => {
  const index = await createWith(['{"kids":[{"x":1},{"x":2},{"x":3}]}', '{"a":1}', '{"kids":[{"x":1}]}'], {
    properties: { kids: { type: 'nested' } },
  });
  const pitId = await snapshotOf(index);
  expect(await snapshots().measure(pitId, keepAliveMs, cluster.call)).toEqual({
    documentCount: 3,
    maxSeqNo: 2,
  });
  const count = async (selection: Selection, interval: number) => [
    ...(await snapshots().histogram({ pitId, keepAliveMs, selection, interval }, cluster.call)),
  ];
  expect(await count({ kind: 'range', from: 0, to: 2 }, 1)).toEqual([
    [0, 1],
    [1, 1],
  ]);
  expect(await count({ kind: 'range', from: 0, to: 3 }, 1000)).toEqual([[0, 3]]);
  const ends: Selection = {
    kind: 'ranges',
    ranges: [
      { from: 0, to: 1 },
      { from: 2, to: 3 },
    ],
  };
  expect(await count(ends, 1)).toEqual([
    [0, 1],
    [2, 1],
  ]);
  const { documents } = await snapshots().readHeads(page(pitId), cluster.call);
  expect(documents.map(({ seqNo }) => seqNo)).toEqual([0, 1, 2]);
  expect(await cluster.index(index).state.count(undefined, cluster.call)).toBe(3);
  await snapshots().close([pitId], cluster.call);
});

test('an empty snapshot measures 0 documents and -1', async () => {
  const pitId = await snapshotOf(await cluster.create({ settings: oneShard }));
  expect(await snapshots().measure(pitId, keepAliveMs, cluster.call)).toEqual({
    documentCount: 0,
    maxSeqNo: -1,
  });
  await snapshots().close([pitId], cluster.call);
});

test('a closed snapshot is lost for every read, and closing it again is no error', async () => {
  const pitId = await snapshotOf(await createWith(['{}']));
  await snapshots().extend(pitId, keepAliveMs, cluster.call);
  await snapshots().close([pitId], cluster.call);
  const lost = { kind: 'snapshot_lost' };
  await expect(snapshots().readDocuments(page(pitId), cluster.call)).rejects.toMatchObject(lost);
  await expect(snapshots().readHeads(page(pitId), cluster.call)).rejects.toMatchObject(lost);
  await expect(snapshots().extend(pitId, keepAliveMs, cluster.call)).rejects.toMatchObject(lost);
  await expect(snapshots().measure(pitId, keepAliveMs, cluster.call)).rejects.toMatchObject(lost);
  await snapshots().close([pitId], cluster.call);
});

test('an opening whose caller goes away in the midst of it leaves nothing open', async () => {
  const index = await createWith(['{}']);
  const copy = await primaryOf(index);
  const own = cluster.index(index).snapshots;
  let cutOff = 0;
  // From before the request is written until after its answer has come.
  for (let turns = 0; turns < 40; turns++) {
    const caller = new AbortController();
    const opening = own.open(copy, keepAliveMs, { signal: caller.signal });
    const settled = opening.then(
      async (pitId) => expect(await own.close([pitId], cluster.call)).toEqual([]),
      (error: unknown) => {
        expect(error).toMatchObject({ name: 'ClusterError', kind: 'aborted' });
        cutOff++;
      },
    );
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
    caller.abort();
    await settled;
  }
  expect(cutOff).toBeGreaterThan(0);
  const list = { method: 'GET', path: '/_search/point_in_time/_all' } as const;
  const { body } = await cluster.client.send(list, cluster.call);
  expect(body.toString()).toContain('"pits":[]');
});

/** Ports of their own, and what they send. */
function recordPaths(): { readonly ports: ClusterPorts; readonly paths: string[] } {
  const paths: string[] = [];
  const send: OpenSearchClient['send'] = (request, call) => {
    paths.push(request.path);
    return cluster.client.send(request, call);
  };
  return { ports: createClusterPorts({ ...cluster.client, send }), paths };
}

/** Has a pipeline hide all documents from every search that does not refuse it. @returns undoes it */
async function hideFromSearches(index: string): Promise<() => Promise<void>> {
  const pipeline = cluster.name('hiding');
  const hide = { filter_query: { query: { match_none: {} } } };
  try {
    await cluster.json('PUT', `/_search/pipeline/${pipeline}`, { request_processors: [hide] });
  } catch (error) {
    // The archives of earlier versions come without such processors, and so without such pipelines.
    if (isClusterError(error, 'invalid') && error.message.includes('Invalid processor type')) {
      return () => Promise.resolve();
    }
    throw error;
  }
  await cluster.json('PUT', `/${index}/_settings`, { 'index.search.default_pipeline': pipeline });
  return async () => {
    await cluster.json('PUT', `/${index}/_settings`, { 'index.search.default_pipeline': null });
    await cluster.json('DELETE', `/_search/pipeline/${pipeline}`);
  };
}

/** Before 2.18 a search of several can't refuse the pipeline, so each gets a request of its own. */
async function canShareSearches(): Promise<boolean> {
  const { version } = (await cluster.json('GET', '/')) as { version: { number: string } };
  const [major = 0, minor = 0] = version.number.split('.').map(Number);
  return major > 2 || minor >= 18;
}

test('searches that go together answer and fail as each would by itself', async () => {
  const index = await createWith(Array.from({ length: 30 }, () => '{}'));
  const stopHiding = await hideFromSearches(index);
  const { ports, paths } = recordPaths();
  const own = ports.index(index).snapshots;
  const [kept, lost] = [await snapshotOf(index), await snapshotOf(index)];
  expect(await own.close([lost], cluster.call)).toEqual([]);
  // With more numbers than a shared search may have, these searches would not share a request.
  const few = { kind: 'range', from: 0, to: 1000 } as const;
  const callOfItsOwn = (): Call => ({ signal: new AbortController().signal });
  const searches: readonly ((pitId: string) => Promise<unknown>)[] = [
    (pitId) => own.measure(pitId, keepAliveMs, callOfItsOwn()),
    (pitId) => own.extend(pitId, keepAliveMs, callOfItsOwn()),
    (pitId) => own.histogram({ pitId, keepAliveMs, selection: few, interval: 10 }, callOfItsOwn()),
    async (pitId) => {
      const read = await own.readHeads({ pitId, keepAliveMs, selection: few, size: 7 }, callOfItsOwn());
      return [read.next, ...read.documents.map(({ id, seqNo, version }) => [id, seqNo, version])];
    },
  ];
  const outcome = (search: Promise<unknown>): Promise<unknown> =>
    search.catch((error: unknown) => (error instanceof ClusterError ? error.kind : error));
  const each = [kept, lost].flatMap((pitId) => searches.map((search) => () => outcome(search(pitId))));

  const inARow: unknown[] = [];
  for (const search of each) inARow.push(await search());
  expect(inARow[0]).toEqual({ documentCount: 30, maxSeqNo: 29 });
  expect(inARow.slice(4)).toEqual(Array(4).fill('snapshot_lost'));
  expect(new Set(paths.splice(0))).toEqual(new Set(['/_search/point_in_time', '/_search']));

  const together = await Promise.all(Array.from({ length: 10 }, () => each.map((search) => search())).flat());
  for (const [at, found] of together.entries()) expect(found).toEqual(inARow[at % each.length]);
  expect(paths).toContain('/_msearch');
  if (await canShareSearches()) expect(paths.length).toBeLessThan(together.length);
  expect(await own.close([kept], cluster.call)).toEqual([]);
  await stopHiding();
});

test('copies are refreshed and snapshots closed together', async () => {
  const index = await cluster.create({ settings: { number_of_shards: 3, number_of_replicas: 0 } });
  const { ports, paths } = recordPaths();
  const { state, snapshots: own } = ports.index(index);
  const { call } = cluster;
  for (let id = 0; id < 12; id++) await cluster.json('PUT', `/${index}/_doc/${id}`, {});
  const { primaries, shape } = await state.readRouting(call);
  paths.length = 0;
  const pitIds = await Promise.all(
    primaries.map(async ({ shard, nodeId = '' }) => {
      await own.refreshCopy({ shard, nodeId }, shape, call);
      return own.open({ shard, nodeId }, keepAliveMs, call);
    }),
  );
  const measured = await Promise.all(pitIds.map((pitId) => own.measure(pitId, keepAliveMs, call)));
  expect(measured.reduce((sum, { documentCount }) => sum + documentCount, 0)).toBe(12);
  expect(paths.filter((path) => path.endsWith('/_mget'))).toHaveLength(1);
  paths.length = 0;
  const left = await Promise.all(pitIds.map((pitId) => own.close([pitId], call)));
  expect(left).toEqual([[], [], []]);
  expect(paths).toEqual(['/_search/point_in_time']);
});

test('looks at documents that go together answer and fail as each would by itself', async () => {
  const index = await cluster.create({
    settings: oneShard,
    mappings: { _routing: { required: true } },
  });
  // Each has a _seq_no of its own within the one shard.
  for (let id = 0; id < 6; id++) await cluster.json('PUT', `/${index}/_doc/${id}?routing=r${id}`, {});
  const { ports, paths } = recordPaths();
  const { state } = ports.index(index);
  const key = (id: number) => ({ id: String(id), routing: `r${id}` });
  const lookAt = async (...ids: readonly number[]) => {
    const documents = await state.getDocuments(ids.map(key), cluster.call);
    return documents.map((document) => (document.found ? document.seqNo : 'none'));
  };
  expect(await Promise.all([lookAt(0, 9), lookAt(5), lookAt(3, 1, 2)])).toEqual([
    [0, 'none'],
    [5],
    [3, 1, 2],
  ]);
  expect(paths).toEqual([`/${index}/_mget`]);
  const refused = state.getDocuments([{ id: '0', routing: undefined }], cluster.call);
  const [alone, beside] = await Promise.allSettled([refused, lookAt(4)]);
  expect(alone).toMatchObject({ status: 'rejected', reason: { kind: 'transient' } });
  expect(beside).toMatchObject({ status: 'fulfilled', value: [4] });
});

test('a snapshot whose node is not in the cluster is lost', async () => {
  const pitId = await snapshotOf(await createWith(['{}']));
  const [routing] = (await cluster.json('GET', '/_cat/nodes?full_id=true&h=id&format=json')) as {
    id: string;
  }[];
  const nodeId = routing?.id ?? '';
  const decoded = Buffer.from(pitId, 'base64url').toString('latin1');
  expect(decoded).toContain(nodeId);
  const unknown = `${nodeId.startsWith('A') ? 'B' : 'A'}${nodeId.slice(1)}`;
  const elsewhere = Buffer.from(decoded.replace(nodeId, unknown), 'latin1').toString('base64url');
  const padded = elsewhere.padEnd(Math.ceil(elsewhere.length / 4) * 4, '=');
  await expect(snapshots().readDocuments(page(padded), cluster.call)).rejects.toMatchObject({
    kind: 'snapshot_lost',
  });
  await snapshots().close([padded, pitId], cluster.call);
});

test('an unreadable id among others keeps none of them open', async () => {
  const pitId = await snapshotOf(await createWith(['{}']));
  await snapshots().close(['garbage', pitId], cluster.call);
  await expect(snapshots().extend(pitId, keepAliveMs, cluster.call)).rejects.toMatchObject({
    kind: 'snapshot_lost',
  });
});

test('an index that is deleted under its snapshot is missing, not empty', async () => {
  const index = await createWith(['{}']);
  const pitId = await snapshotOf(index);
  await cluster.json('DELETE', `/${index}`);
  await expect(snapshots().readDocuments(page(pitId), cluster.call)).rejects.toMatchObject({
    kind: 'not_found',
  });
  await snapshots().close([pitId], cluster.call);
});

test('an unassigned primary fails refresh, flush, count and snapshot instead of being left out', async () => {
  const index = await cluster.createUnallocated({ settings: oneShard });
  const missing = { kind: 'transient' };
  await expect(cluster.index(index).state.refresh(cluster.call)).rejects.toMatchObject(missing);
  await expect(cluster.index(index).state.flush(cluster.call)).rejects.toMatchObject(missing);
  await expect(cluster.index(index).state.count(undefined, cluster.call)).rejects.toMatchObject(missing);
  const copy = { shard: 0, nodeId: await someNode() };
  await expect(cluster.index(index).snapshots.open(copy, keepAliveMs, cluster.call)).rejects.toMatchObject(
    missing,
  );
  await expect(cluster.index(index).state.countCopies([copy], undefined, cluster.call)).rejects.toMatchObject(
    missing,
  );
  const { primaries } = await cluster.index(index).state.readRouting(cluster.call);
  expect(primaries).toMatchObject([
    { shard: 0, nodeId: undefined, allocationId: undefined, state: 'UNASSIGNED' },
  ]);
  expect(await cluster.index(index).state.readCheckpoints(cluster.call)).toEqual([]);
});

test('one unassigned primary among others is not counted as nothing', async () => {
  // two primaries, and the only node may hold one
  const index = await cluster.createUnallocated({ settings: { ...oneShard, number_of_shards: 2 } });
  const perNode = { 'index.routing.allocation.total_shards_per_node': 1, [allocationSetting]: null };
  await cluster.index(index).settings.put(perNode, cluster.call);
  const started = async () =>
    (await cluster.index(index).state.readRouting(cluster.call)).primaries.filter(
      ({ state }) => state === 'STARTED',
    ).length;
  await waitUntil(async () => (await started()) === 1, {
    what: 'one primary',
    timeoutMs: 30_000,
    endedBy: [],
  });
  const missing = { kind: 'transient' };
  await expect(cluster.index(index).state.count(undefined, cluster.call)).rejects.toMatchObject(missing);
  await expect(cluster.index(index).state.refresh(cluster.call)).rejects.toMatchObject(missing);
  expect(await cluster.index(index).state.readCheckpoints(cluster.call)).toHaveLength(1);
});

test('a missing replica does not fail refresh and flush', async () => {
  const index = await cluster.create({ settings: { ...oneShard, number_of_replicas: 1 } });
  await cluster.index(index).state.refresh(cluster.call);
  await cluster.index(index).state.flush(cluster.call);
});

test('checkpoints and routing describe the primary', async () => {
  const index = await createWith(['{}', '{}']);
  const [checkpoint] = await cluster.index(index).state.readCheckpoints(cluster.call);
  const routing = await cluster.index(index).state.readRouting(cluster.call);
  expect(checkpoint).toMatchObject({
    shard: 0,
    state: 'STARTED',
    maxSeqNo: 1,
    globalCheckpoint: 1,
  });
  expect(checkpoint?.historyUuid).toMatch(/^.{20,}$/);
  expect(routing).toMatchObject({
    open: true,
    primaries: [{ shard: 0, nodeId: checkpoint?.nodeId, primaryTerm: 1 }],
  });
  expect(routing.clusterUuid).toBe(await cluster.ports.uuid(cluster.call));
  await cluster.json('POST', `/${index}/_close`);
  expect(await cluster.index(index).state.readRouting(cluster.call)).toMatchObject({ open: false });
  await expect(cluster.index(cluster.name('none')).state.readRouting(cluster.call)).rejects.toMatchObject({
    kind: 'not_found',
  });
});
