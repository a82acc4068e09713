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
