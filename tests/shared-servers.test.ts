import { createParser } from '@aosc/contract';
import { commandRedis } from '@aosc/local-stack';
import { callJson, createHttpClient, type HttpClient, type LentServers } from '@aosc/testkit';
import { Type } from '@sinclair/typebox';
import { Loan } from './support/loan';
import { dropServers } from './support/shared-servers';

jest.setTimeout(600_000);

/** These tests lend the servers themselves, and clear them: they must not be given ones. */
beforeAll(() => {
  Object.assign(process.env, { AOSC_OPENSEARCH_URL: '', AOSC_REDIS_URL: '' });
});
afterAll(() => dropServers());

/** A file between its first and its last hook. */
interface BorrowingFile extends LentServers {
  readonly http: HttpClient;
  readonly put: (path: string, body: object) => Promise<unknown>;
  /** @returns the errors that fail a test which does this */
  readonly test: (body: () => Promise<unknown>) => Promise<readonly string[]>;
  /** @returns the errors that fail the file */
  readonly finish: () => Promise<readonly string[]>;
}

async function borrow(): Promise<BorrowingFile> {
  const loan = new Loan();
  const servers = await loan.begin();
  const http = createHttpClient([servers.openSearchUrl]);
  const state: { unhandledErrors: unknown[] } = { unhandledErrors: [] };
  return {
    ...servers,
    http,
    put: (path, body) => callJson(http, (answer) => answer, 'PUT', path, body),
    async test(body) {
      const test: { errors: unknown[] } = { errors: [] };
      await loan.follow({ name: 'test_started', test }, state);
      await body();
      await loan.follow({ name: 'test_done', test }, state);
      return linesOf(test.errors);
    },
    async finish() {
      http.close();
      await loan.follow({ name: 'run_finish' }, state);
      return linesOf(state.unhandledErrors);
    },
  };
}

/** Without the sentence above what is left. */
function linesOf(errors: readonly unknown[]): readonly string[] {
  return errors
    .flatMap((error) => (error instanceof Error ? error.message.split('\n') : [String(error)]))
    .filter((line) => !line.endsWith('use next:'))
    .sort();
}

const settings = { 'index.number_of_replicas': 0, 'index.number_of_shards': 2 };
const addMigration = ({ put }: BorrowingFile, id: string, phase: string) =>
  put(`/.aosc-migrations/_doc/${id}`, { kind: 'migration', migration_id: id, phase });
const parseNames = createParser('answer of _alias', Type.Record(Type.String(), Type.Unknown()));
const parsePit = createParser('answer of _search/point_in_time', Type.Object({ pit_id: Type.String() }));

test('files that leave nothing but indices and ended migrations have the same servers, each finds them empty', async () => {
  const one = await borrow();
  const errors = await one.test(async () => {
    await one.put('/v1', { settings });
    await one.put('/v1/_settings', { 'index.blocks.write': true });
    await addMigration(one, 'ended', 'COMPLETED');
    await commandRedis(one.redisUrl, ['SET', 'some', 'value']);
  });
  expect([errors, await one.finish()]).toEqual([[], []]);

  const next = await borrow();
  expect(next.openSearchUrl).toBe(one.openSearchUrl);
  expect(await callJson(next.http, parseNames, 'GET', '/_alias?expand_wildcards=all')).toEqual({});
  expect(await commandRedis(next.redisUrl, ['DBSIZE'])).toBe(':0\r\n');
  expect(await next.finish()).toEqual([]);
});

test('what a test leaves cluster-wide fails it by name, and is gone for the next one; the next file gets new servers', async () => {
  const file = await borrow();
  await file.put('/_ingest/pipeline/before', { processors: [] });
  const errors = await file.test(async () => {
    await file.put('/_ingest/pipeline/left', { processors: [] });
    await file.put('/_search/pipeline/left', { request_processors: [] });
    await file.put('/_template/left', { index_patterns: ['left-*'] });
    await file.put('/_component_template/left', { template: {} });
    await file.put('/_index_template/left', { index_patterns: ['right-*'] });
    await file.put('/_scripts/left', { script: { lang: 'painless', source: '1' } });
    await file.put('/_cluster/settings', {
      persistent: { 'search.max_buckets': 7 },
      transient: { 'cluster.routing.allocation.enable': 'all' },
    });
  });
  expect(errors).toEqual([
    'component template left',
    'index template left',
    'ingest pipeline left',
    'persistent cluster setting search.max_buckets: 7',
    'script left',
    'search pipeline left',
    'template left',
    'transient cluster setting cluster.routing.allocation.enable: all',
  ]);
  expect(await file.test(() => Promise.resolve())).toEqual([]);
  expect(await file.finish()).toEqual(['ingest pipeline before']);

  const next = await borrow();
  expect(next.openSearchUrl).not.toBe(file.openSearchUrl);
  expect(await next.finish()).toEqual([]);
});

test('what comes after the end of a file is not blamed on the next one, which gets new servers', async () => {
  const file = await borrow();
  expect(await file.finish()).toEqual([]);
  await file.put('/_ingest/pipeline/late', { processors: [] });
  const warn = jest.spyOn(console, 'warn').mockReturnValue();
  const next = await borrow();
  expect(warn.mock.calls.flat().join()).toContain('ingest pipeline late');
  expect(next.openSearchUrl).not.toBe(file.openSearchUrl);
  expect(await next.finish()).toEqual([]);
});

test('what a file leaves in indices and queues fails it by name', async () => {
  const file = await borrow();
  const errors = await file.test(async () => {
    for (const name of ['v1', 'v2']) await file.put(`/${name}`, { settings });
    await addMigration(file, 'begun', 'BACKFILLING');
    await file.put('/v1/_alias/aosc-fence-x', { is_hidden: true });
    await callJson(file.http, parsePit, 'POST', '/v1/_search/point_in_time?keep_alive=5m');
    await callJson(file.http, (answer) => answer, 'POST', '/v2/_search?scroll=5m', {});
    await commandRedis(file.redisUrl, ['LPUSH', 'aosc:some-uuid:replay:wait', '1']);
    await commandRedis(file.redisUrl, ['LPUSH', 'aosc:some-uuid:advance:wait', '1']);
  });
  // They may still be in use between two tests.
  expect(errors).toEqual([]);
  expect(await file.finish()).toEqual([
    '1 jobs in aosc:some-uuid:replay:wait',
    '4 open searches or points in time',
    'alias aosc-fence-x of v1',
    'migration begun in BACKFILLING',
  ]);
});
