import { callJson, createSourceIndex, deleteIndices, startMigration } from '@aosc/testkit';
import { type Environment, startEnvironment } from './support/environment';
import { expectClean, expectWholePath } from './support/expectations';
import { removeIndices, runMigration } from './support/scenario';

jest.setTimeout(600_000);

const documents = 20_000;

let environment: Environment;
beforeAll(async () => {
  environment = await startEnvironment({ nodes: 2, workers: 2 });
});
afterAll(() => environment.stop());

test.each([
  { from: 2, to: 2, mode: 'SAME_SHARD', settings: { 'index.codec': 'best_compression' } },
  { from: 2, to: 8, mode: 'SPLIT_SHARD', settings: { 'index.refresh_interval': '7s' } },
  { from: 1, to: 4, mode: 'SPLIT_SHARD', settings: {} },
])('$from shards to $to by files under writes: exact', async ({ from, to, mode, settings }) => {
  const routing = from === 1 ? {} : { routingShards: 16 };
  const result = await runMigration(environment, {
    name: `files-${from}-${to}`,
    source: { shards: from, replicas: 1, settings: { 'index.gc_deletes': '45s' }, ...routing },
    target: { shards: to, settings },
    byFiles: true,
    documents,
    writers: { mix: { reroute: 5 }, externalVersionWriters: 1 },
  });
  const { status, migration } = result;
  expectClean(result);
  expectWholePath(status);
  expect(status.shard_routing_mode).toBe(mode);
  expect(status.options).toMatchObject({ copy: 'files' });
  for (const { backfill } of Object.values(status.shards)) {
    expect(backfill?.documents_indexed).toBeGreaterThan(0);
    expect(backfill?.rounds).toBeLessThan(50);
  }
  await removeIndices(environment, migration);
});

/** Of the whole cluster, under which a resize would be refused, or leave a target whose primaries wait. */
const byDocuments = 'options.copy [documents] copies into a target of its own';
test.each<[setting: string, value: string, advice: string]>([
  ['cluster.routing.allocation.enable', 'none', byDocuments],
  ['cluster.routing.allocation.require._name', 'elsewhere', byDocuments],
  ['cluster.routing.allocation.awareness.attributes', 'zone', byDocuments],
  ['cluster.routing.allocation.total_shards_per_node', '3', byDocuments],
  ['cluster.routing.allocation.disk.watermark.low', '500000gb', byDocuments],
  // Documents would need as many shards.
  ['cluster.max_shards_per_node', '3', 'Raise it, delete indices'],
])('a start with %s of %s is refused, and nothing was blocked', async (setting, value, advice) => {
  const { http, apiUrl } = environment;
  const put = (settings: object): Promise<unknown> =>
    callJson(http, (answer) => answer, 'PUT', '/_cluster/settings', { transient: settings });
  const disk = 'cluster.routing.allocation.disk';
  await createSourceIndex(http, { name: 'room-v1', alias: 'room', shards: 2, replicas: 0 });
  // The three watermarks go up together; a node that is over them moves its shards away, and so none is to do it.
  const isMark = setting.includes('watermark');
  const marks = Object.fromEntries(
    ['high', 'flood_stage'].map((mark) => [`${disk}.watermark.${mark}`, '1b']),
  );
  const settings = {
    ...(isMark && { [`${disk}.threshold_enabled`]: true, ...marks }),
    [setting]: value,
  };
  await put(settings);
  try {
    const refused = startMigration(apiUrl, {
      source: 'room-v1',
      target: 'room-v2',
      alias: 'room',
      createTarget: { number_of_shards: 4 },
      options: { copy: 'files' },
    });
    const message = await refused.then(
      () => 'it was started',
      (error: unknown) => String(error),
    );
    expect(message).toContain(`[${setting}]`.replace('require._name', '*'));
    expect(message).toContain(advice);
    expect(message.includes(byDocuments)).toBe(advice === byDocuments);
  } finally {
    await put(Object.fromEntries(Object.keys(settings).map((name) => [name, null])));
    await deleteIndices(http, ['room-v1']);
  }
});
