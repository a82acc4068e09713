import { createParser } from '@aosc/contract';
import { callJson, type LoadedDocument, type StatusDocument } from '@aosc/testkit';
import { Type } from '@sinclair/typebox';
import { type Environment, startEnvironment } from './support/environment';
import { expectClean, expectKept } from './support/expectations';
import { type Migration, removeIndices, runMigration } from './support/scenario';

jest.setTimeout(600_000);

/** Room for nine writes and for eight searches at once on the node; more of them is refused with 429. */
const smallNode = {
  'thread_pool.write.size': 1,
  'thread_pool.write.queue_size': 8,
  'thread_pool.search.size': 1,
  'thread_pool.search.queue_size': 7,
  'indexing_pressure.memory.limit': '6mb',
};

const usual = {
  'aosc.overload.max_consecutive_failures': null,
  'aosc.backfill.controller.type': 'adaptive_batch',
  'aosc.backfill.controller.concurrency': '3',
  'aosc.backfill.controller.batch.size': '30',
  'aosc.backfill.controller.batch.max_docs': '30',
  'aosc.backfill.controller.batch.min_bytes': '1kb',
  'aosc.backfill.controller.batch.start_bytes_per_doc': '256b',
  'aosc.backfill.max_concurrent_per_node': '4',
} as const;

let environment: Environment;
beforeAll(async () => {
  environment = await startEnvironment({
    nodes: [{ settings: smallNode }],
    workers: 2,
    settings: Object.fromEntries(
      ['backfill', 'replay'].flatMap((work) => [
        [`aosc.${work}.controller.overload.base_pause`, '100'],
        [`aosc.${work}.controller.overload.max_pause`, '2000'],
      ]),
    ),
  });
});
beforeEach(async () => {
  await environment.putSettings(usual);
  await limitRequests(null);
});
afterAll(() => environment.stop());

const parsePools = createParser(
  'answer of _nodes/stats/thread_pool',
  Type.Object({
    nodes: Type.Record(
      Type.String(),
      Type.Object({ thread_pool: Type.Record(Type.String(), Type.Object({ rejected: Type.Integer() })) }),
    ),
  }),
);

/** How many tasks the node has refused so far because a queue was full. */
async function readRejected(pool: 'write' | 'search'): Promise<number> {
  const { nodes } = await callJson(environment.http, parsePools, 'GET', '/_nodes/stats/thread_pool');
  return Object.values(nodes).reduce((sum, node) => sum + (node.thread_pool[pool]?.rejected ?? 0), 0);
}

/** The circuit breaker of requests under way; null: its default. */
async function limitRequests(limit: string | null): Promise<void> {
  await callJson(environment.http, (answer) => answer, 'PUT', '/_cluster/settings', {
    transient: { 'network.breaker.inflight_requests.limit': limit },
  });
}

/** The breaker trips while the shards are copied, and at no other time. */
async function limitWhileCopying(migration: Migration, limit: string): Promise<void> {
  await limitRequests(limit);
  await migration.waitFor('the end of the copy', ({ phase, shards }) => {
    const copied = Object.values(shards).every(({ backfill }) => backfill?.status === 'COMPLETED');
    return copied || phase === 'FAILING' || phase === 'FAILED';
  });
  await limitRequests(null);
}

const countRetries = ({ shards }: StatusDocument): number =>
  Object.values(shards).reduce((sum, { backfill }) => sum + (backfill?.bulk_retries ?? 0), 0);

test.each(['adaptive_batch', 'adaptive', 'fixed'])(
  'full queues for writes and for searches, %s: complete and exact',
  async (type) => {
    await environment.putSettings({ 'aosc.backfill.controller.type': type });
    const before = { write: await readRejected('write'), search: await readRejected('search') };
    const result = await runMigration(environment, {
      name: `overload-queues-${type}`,
      source: { shards: 4 },
      target: { shards: 4 },
      documents: 6000,
      writers: { rate: 100 },
      isOverloaded: true,
    });
    expectClean(result);
    expect(await readRejected('write')).toBeGreaterThan(before.write);
    expect(await readRejected('search')).toBeGreaterThan(before.search);
    expect(countRetries(result.status)).toBeGreaterThan(0);
    await removeIndices(environment, result.migration);
  },
);

test('a circuit breaker that no bulk passes as it is: they shrink until they do', async () => {
  await environment.putSettings({
    'aosc.backfill.controller.concurrency': '1',
    'aosc.backfill.controller.batch.max_docs': '500',
  });
  const result = await runMigration(
    environment,
    {
      name: 'overload-breaker',
      source: { shards: 1 },
      target: { shards: 1 },
      documents: 5000,
      writers: { rate: 50 },
    },
    (migration) => limitWhileCopying(migration, '60kb'),
  );
  expectClean(result);
  expect(countRetries(result.status)).toBeGreaterThan(0);
  await removeIndices(environment, result.migration);
});

test('bulks that are above the limit of indexing pressure by themselves are sent in parts', async () => {
  await environment.putSettings({ 'aosc.backfill.controller.batch.max_docs': '500' });
  const result = await runMigration(environment, {
    name: 'overload-pressure',
    source: { shards: 1 },
    target: { shards: 1 },
    documents: 1000,
    furtherDocuments: largeDocuments(120, 100_000),
  });
  expectClean(result);
  expect(countRetries(result.status)).toBeGreaterThan(0);
  await removeIndices(environment, result.migration);
});

function* largeDocuments(count: number, bytes: number): Generator<LoadedDocument> {
  for (let at = 0; at < count; at += 1)
    yield { id: `large-${at}`, source: `{"body":"${'x'.repeat(bytes)}"}` };
}

test('the failures in a row reach the limit: FAILED with the last cause, and the source as it was', async () => {
  await environment.putSettings({
    'aosc.overload.max_consecutive_failures': '3',
    'aosc.backfill.controller.type': 'fixed',
    'aosc.backfill.controller.concurrency': '1',
    'aosc.backfill.controller.batch.size': '500',
  });
  const result = await runMigration(
    environment,
    {
      name: 'overload-exhausted',
      source: { shards: 1 },
      target: { shards: 1 },
      documents: 5000,
      writers: { rate: 50 },
    },
    (migration) => limitWhileCopying(migration, '20kb'),
  );
  const { status } = result;
  expect(status.phase).toBe('FAILED');
  expect(status.error_message).toMatch(
    /shard \[overload-exhausted-v1\]\[0\] failed: Overload backoff exhausted after 3 consecutive failures, the last one: .*circuit_breaking_exception: .*Data too large/,
  );
  expect(status.shards['0']?.backfill).toMatchObject({ status: 'FAILED' });
  expect(countRetries(status)).toBeGreaterThan(0);
  expectKept(result);
  await removeIndices(environment, result.migration);
});
