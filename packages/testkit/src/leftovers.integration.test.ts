import { startTestServer, type TestServer } from './__tests__/server';
import { findLeftovers, isOfIndex } from './leftovers';
import { createSourceIndex, createTargetIndex, readIndexSettings } from './test-indices';

jest.setTimeout(600_000);

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

async function createPair() {
  const [source, target] = [server.name('source'), server.name('target')];
  await createSourceIndex(server.http, { name: source, alias: server.name('alias'), shards: 1 });
  const settings = { 'index.refresh_interval': '5s' };
  await createTargetIndex(server.http, { name: target, shards: 2, settings });
  const { 'index.refresh_interval': interval = null } = await readIndexSettings(server.http, target);
  const targetSettings = { 'index.refresh_interval': interval, 'index.gc_deletes': null };
  return { urls: server.urls, source, target, targetSettings };
}

test('a clean pair has no leftovers', async () => {
  expect(await findLeftovers(await createPair())).toEqual([]);
});

test('each kind of leftover is named', async () => {
  const pair = await createPair();
  const { source, target } = pair;
  const key = server.name('key');
  const add = { index: target, alias: `aosc-fence-${key}-0-1`, is_hidden: true };
  await server.send('POST', '/_aliases', JSON.stringify({ actions: [{ add }] }));
  await server.send('PUT', `/_ingest/pipeline/aosc-${key}`, '{"processors":[]}');
  await server.send('PUT', `/${target}/_settings`, '{"index.refresh_interval":"-1","index.gc_deletes":"0s"}');
  const opened: unknown = JSON.parse(
    (await server.send('POST', `/${source}/_search/point_in_time?keep_alive=5m`)).toString(),
  );
  if (typeof opened !== 'object' || opened === null || !('pit_id' in opened)) throw new Error('no pit_id');
  const pitId = String(opened.pit_id);
  expect([source, target, source.slice(1)].filter((index) => isOfIndex(pitId, index))).toEqual([source]);
  await server.send('PUT', `/${source}/_block/write`);
  try {
    expect((await findLeftovers({ ...pair, key, pitIds: [pitId] })).sort()).toEqual(
      [
        `1 open points in time on shards of ${source}`,
        `alias aosc-fence-${key}-0-1 on ${target}`,
        `index.gc_deletes of ${target} is 0s, was null`,
        `index.refresh_interval of ${target} is -1, was 5s`,
        `ingest pipeline aosc-${key}`,
        `recorded point in time ${pitId}`,
        `${source} is write-blocked`,
      ].sort(),
    );
  } finally {
    await server.send('DELETE', '/_search/point_in_time', JSON.stringify({ pit_id: [pitId] }));
    await server.send('DELETE', `/_ingest/pipeline/aosc-${key}`);
  }
  const rest = await findLeftovers({ ...pair, key, pitIds: [pitId], writeBlockExpected: true });
  expect(rest.filter((line) => /point|pipeline|blocked/.test(line))).toEqual([]);
});
