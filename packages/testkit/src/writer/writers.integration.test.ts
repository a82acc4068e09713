import { startTestServer, type TestServer } from '../__tests__/server';
import { startCuttingProxy } from '../__tests__/cutting-proxy';
import { compareIndices } from '../compare/compare-indices';
import { verifyAgainstModel } from '../compare/verify-model';
import type { ModelEntry, WriterModel } from '../model';
import { createSourceIndex, createTargetIndex } from '../test-indices';
import type { AcknowledgedOperation } from './acknowledgements';
import { startWriters, type Writers, type WritersOptions } from './writers';

jest.setTimeout(600_000);

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

async function createIndex(): Promise<{ index: string; alias: string }> {
  const [index, alias] = [server.name('index'), server.name('alias')];
  await createSourceIndex(server.http, { name: index, alias, shards: 2, routingShards: 16 });
  return { index, alias };
}

/** Writers whose acknowledgements can be waited for. */
function startCounted(
  alias: string,
  options: Partial<WritersOptions> = {},
): { writers: Writers; log: AcknowledgedOperation[]; until: (count: number) => Promise<void> } {
  const log: AcknowledgedOperation[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const writers = startWriters({
    urls: server.urls,
    alias,
    seed: 11,
    ...options,
    onAcknowledged: (acknowledged) => {
      log.push(acknowledged);
      for (const { count, resolve } of waiting) if (log.length >= count) resolve();
    },
  });
  const until = (count: number): Promise<void> =>
    log.length >= count ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve }));
  return { writers, log, until };
}

const verify = (index: string, model: WriterModel) => verifyAgainstModel({ urls: server.urls, index, model });

function pickEntry(model: WriterModel, present: boolean): ModelEntry {
  const entry = [...model.values()].find(({ acceptable }) => acceptable[0].present === present);
  if (entry === undefined) throw new Error('the writers made no such document');
  return entry;
}

const docPath = (index: string, { id, routing }: ModelEntry): string =>
  `/${index}/_doc/${encodeURIComponent(id)}${routing === undefined ? '' : `?routing=${routing}`}`;

test('what was acknowledged is what the index holds, with all kinds of operations', async () => {
  const { index, alias } = await createIndex();
  const { writers, log, until } = startCounted(alias, {
    externalVersionWriters: 1,
    mix: { reroute: 10, move: 10 },
  });
  await until(1_500);
  await writers.stop();
  const stats = writers.stats();
  expect(stats).toMatchObject({ errors: 0, violations: 0, unknownOutcomes: 0, problems: [] });
  expect(stats.operations).toBe(log.length);
  for (const kind of ['inserts', 'updates', 'deletes', 'recreations', 'reroutes', 'moves'] as const) {
    expect(stats[kind]).toBeGreaterThan(0);
  }
  expect(stats.operationsByIndex).toEqual({ [index]: log.length });
  const report = await verify(alias, writers.model);
  expect(report).toMatchObject({ documents: writers.model.size, uncertain: 0, mismatches: { total: 0 } });
  const present = [...writers.model.values()].filter(({ acceptable }) => acceptable[0].present).length;
  await server.refresh(index);
  const counted: unknown = JSON.parse((await server.send('GET', `/${index}/_count`)).toString());
  expect(counted).toMatchObject({ count: present });
  const routings = log.filter(({ operation }) => operation.routing !== undefined);
  expect(routings.length).toBeGreaterThan(0);
});

test('the index counts as many operations as were acknowledged', async () => {
  const { alias, index } = await createIndex();
  const { writers, log, until } = startCounted(alias, { routedWriters: 0, mix: { partial: 0 } });
  await until(400);
  await writers.stop();
  const stats: unknown = JSON.parse(
    (await server.send('GET', `/${index}/_stats/indexing?filter_path=_all.primaries.indexing`)).toString(),
  );
  const deletes = log.filter(({ operation }) => operation.verb === 'delete').length;
  expect(stats).toMatchObject({
    _all: { primaries: { indexing: { index_total: log.length - deletes, delete_total: deletes } } },
  });
});

test('a lost acknowledged write, a resurrected delete and an older content are found', async () => {
  const { index, alias } = await createIndex();
  const { writers, until } = startCounted(alias);
  await until(500);
  await writers.stop();
  expect((await verify(index, writers.model)).mismatches.total).toBe(0);

  const alive = pickEntry(writers.model, true);
  const dead = pickEntry(writers.model, false);
  await server.send('DELETE', docPath(index, alive));
  await server.send('PUT', docPath(index, dead), '{"revision":1}');
  const { mismatches } = await verify(index, writers.model);
  expect(mismatches).toMatchObject({ missing: { count: 1 }, extra: { count: 1 }, total: 2 });
  expect(mismatches.missing.samples).toMatchObject([{ id: alive.id, routing: alive.routing }]);
  expect(mismatches.extra.samples).toMatchObject([{ id: dead.id, routing: dead.routing }]);

  await server.send('PUT', docPath(index, alive), '{"revision":0}');
  const after = (await verify(index, writers.model)).mismatches;
  expect(after).toMatchObject({ differentSource: { count: 1 }, differentVersion: { count: 1 } });
});

test('a write that meets lost data contradicts the history', async () => {
  const { index, alias } = await createIndex();
  const { writers, log, until } = startCounted(alias, { mix: { insert: 5, update: 95 } });
  await until(200);
  await writers.pause();
  await server.refresh(index);
  await server.send(
    'POST',
    `/${index}/_delete_by_query?refresh=true&conflicts=proceed`,
    '{"query":{"match_all":{}}}',
  );
  writers.resume();
  await until(log.length + 100);
  await writers.stop();
  expect(writers.stats().violations).toBeGreaterThan(0);
  expect(writers.stats().problems.join()).toMatch(/contradiction: update of .* expected updated/);
});

test('writers go on through a write block, report the pause, and lose nothing', async () => {
  const { index, alias } = await createIndex();
  const { writers, log, until } = startCounted(alias);
  await until(200);
  await server.send('PUT', `/${index}/_block/write`);
  const blockedAt = Date.now();
  let refused = writers.stats().blockedRetries;
  while (refused < 20) {
    await server.send('GET', '/_cluster/health');
    refused = writers.stats().blockedRetries;
  }
  const liftedAt = Date.now();
  await server.send('PUT', `/${index}/_settings`, '{"index.blocks.write":null}');
  await until(log.length + 200);
  await writers.stop();
  const stats = writers.stats();
  expect(stats).toMatchObject({ errors: 0, violations: 0 });
  expect(stats.blockedRetries).toBeGreaterThanOrEqual(20);
  // some operation was sent before the block was lifted and acknowledged after it
  const waited = log.filter((one) => one.acknowledgedAtMillis - one.sentAtMillis > 0);
  expect(waited.some((one) => one.sentAtMillis <= liftedAt && one.acknowledgedAtMillis >= liftedAt)).toBe(
    true,
  );
  const longest = Math.max(...log.map((one) => one.acknowledgedAtMillis - one.sentAtMillis));
  expect(stats.longestPauseMs).toBeGreaterThanOrEqual(longest - 2);
  expect(stats.longestPauseMs).toBeLessThanOrEqual(Date.now() - blockedAt + 1_000);
  expect((await verify(alias, writers.model)).mismatches.total).toBe(0);
});

test('a swap of the alias: later writes are judged by the history, all others by the source', async () => {
  const { index: source, alias } = await createIndex();
  const target = server.name('target');
  await createTargetIndex(server.http, { name: target, shards: 4, routingShards: 16 });
  const { writers, log, until } = startCounted(alias, { mix: { reroute: 5 } });
  await until(500);
  await server.send('PUT', `/${source}/_block/write`);
  await server.refresh(source);
  const copy = { source: { index: source }, dest: { index: target, version_type: 'external' } };
  await server.send('POST', '/_reindex?refresh=true', JSON.stringify(copy));
  const swap = {
    actions: [{ remove: { index: source, alias } }, { add: { index: target, alias } }],
  };
  await server.send('POST', '/_aliases', JSON.stringify(swap));
  await until(log.length + 300);
  await writers.stop();
  const { model } = writers;
  expect(writers.stats()).toMatchObject({ errors: 0, violations: 0 });

  const options = { urls: server.urls, source, target };
  const report = await compareIndices({ ...options, model });
  expect(report.mismatches.total).toBe(0);
  expect(report.judgedByModel).toBe([...model.values()].filter(({ index }) => index === target).length);
  expect(report.judgedByModel).toBeGreaterThan(0);
  expect(report.judgedBySource).toBeGreaterThan(0);
  expect((await compareIndices(options)).mismatches.total).toBeGreaterThan(0);
  expect((await verify(alias, model)).mismatches.total).toBe(0);
});

test('answers that never arrive: the outcome is unknown, tried again, and settled by reading', async () => {
  const { alias } = await createIndex();
  const [url = ''] = server.urls;
  const proxy = await startCuttingProxy(url, 5);
  try {
    const { writers, until } = startCounted(alias, {
      urls: [proxy.url],
      externalVersionWriters: 1,
      mix: { reroute: 5 },
    });
    await until(600);
    await writers.stop();
    const { unknownOutcomes, errors, violations } = writers.stats();
    expect(unknownOutcomes).toBeGreaterThanOrEqual(proxy.cuts());
    expect({ errors, violations }).toEqual({ errors: 0, violations: 0 });
    const report = await verify(alias, writers.model);
    expect(report.mismatches.total).toBe(0);
    expect(report.uncertain).toBeGreaterThan(0);
    expect(report.uncertain).toBeLessThan(report.documents);
  } finally {
    await proxy.stop();
  }
});

test('no server: operations are given up, none is counted as acknowledged, and stop() returns', async () => {
  const writers = startWriters({
    urls: ['http://127.0.0.1:1'],
    alias: 'nowhere',
    writers: 2,
    giveUpAfterMs: 0,
    rate: 1_000,
  });
  await writers.pause();
  await writers.stop();
  expect(writers.stats().operations).toBe(0);
  expect(writers.stats().errors).toBeGreaterThan(0);
  expect([...writers.model.values()].every(({ uncertain }) => !uncertain)).toBe(true);
});
