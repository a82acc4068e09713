import { createServer, request as httpRequest } from 'node:http';
import { createOpenApiDocument, operations } from '@aosc/contract';
import { newShardRecord } from '@aosc/domain';
import { ClusterError, type ClusterPorts } from '@aosc/engine';
import { sendChecked } from '@aosc/testkit';
import { errorLike } from './__tests__/api-under-test';
import { createDependencies } from './__tests__/create-dependencies';
import { createMigration } from './__tests__/create-migration';
import { createApp } from './app';
import { boardPath } from './auth/routes';

let version = 1;
const migration = createMigration();
const stored = <R>(record: R, seqNo: number) => ({ record, seqNo, primaryTerm: 1 });
const gone = new ClusterError('not_found', 'no such index', { type: 'index_not_found_exception' });
const cluster = {
  index: () => ({ state: { readRouting: () => Promise.reject(gone) } }),
} as unknown as ClusterPorts;
const app = createApp({
  ...createDependencies({
    findMigrationBySource: (source) =>
      Promise.resolve(source === migration.sourceIndex ? stored(migration, 7) : undefined),
    readShard: (_key, shard) =>
      Promise.resolve(shard === 0 ? stored(newShardRecord(migration.key, 0, 1000), 1) : undefined),
    pollShards: () => Promise.resolve([stored(newShardRecord(migration.key, 0, 1000), version)]),
  }),
  cluster,
});
const server = createServer(app);
let url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server does not listen');
  url = `http://127.0.0.1:${address.port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const send = (method: string, path: string, headers: Record<string, string> = {}) =>
  sendChecked(url, path, { method, headers });
const statusPath = '/_plugins/_aosc/books/_status';

interface Layer {
  readonly rawPath?: unknown;
  readonly route?: { readonly path: unknown; readonly methods: Readonly<Record<string, boolean>> };
  readonly handle: { readonly stack?: readonly Layer[] };
}

/** Bull Board's page and what it asks for are another project's, which the document promises nothing about. */
const notDescribed: readonly unknown[] = [boardPath];

/** Every other route of the app as the document writes it. */
function listRoutes(layers: readonly Layer[], base: string): string[] {
  return layers.flatMap(({ rawPath, route, handle }) => {
    if (route !== undefined) {
      const path = `${base}${String(route.path)}`.replace(/:(\w+)/g, '{$1}').replace(/(.)\/$/, '$1');
      return Object.keys(route.methods).map((method) => `${method} ${path}`);
    }
    if (handle.stack === undefined || notDescribed.includes(rawPath)) return [];
    if (typeof rawPath !== 'string') throw new Error('a router without a path: has Express changed?');
    return listRoutes(handle.stack, rawPath === '/' ? base : `${base}${rawPath}`);
  });
}

test('the document has the routes of the app, and no others', () => {
  const described = operations.map(({ method, path }) => `${method} ${path}`);
  const layers = app.router.stack as unknown as readonly Layer[];
  expect(layers.map(({ rawPath }) => rawPath)).toEqual(expect.arrayContaining([...notDescribed]));
  expect(listRoutes(layers, '').sort()).toEqual(described.sort());
});

test('the document is served', async () => {
  const { status, body } = await send('GET', '/openapi.json');
  expect(status).toBe(200);
  expect(body).toEqual(createOpenApiDocument());
});

describe('other methods', () => {
  test.each([
    ['PUT', '/_plugins/_aosc/x/_start', 'POST'],
    ['DELETE', '/_plugins/_aosc/x/_status?pretty', 'GET, HEAD'],
    ['POST', '/_cluster/settings', 'GET, HEAD, PUT'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['GET', '/_plugins/_aosc/x/_cancel/', 'POST'],
  ])('%s %s is refused, and told what is allowed', async (method, path, allowed) => {
    const { status, body, headers } = await send(method, path);
    const reason = `Incorrect HTTP method for uri [${path}] and method [${method}], allowed: [${allowed}]`;
    expect({ status, body }).toEqual(errorLike(405, 'method_not_allowed_exception', reason));
    expect(headers.get('allow')).toBe(allowed);
  });

  test('a path that nobody has is 404 with any method', async () => {
    expect((await send('POST', '/nowhere')).status).toBe(404);
    expect((await send('OPTIONS', '/nowhere')).status).toBe(404);
  });

  test.each(operations.map(({ path }) => path.replace('{index}', 'books').replace('{shard}', '0')))(
    'OPTIONS %s tells the methods',
    async (path) => {
      const { status, headers } = await send('OPTIONS', path);
      expect(status).toBe(200);
      expect(headers.get('allow')).not.toBe('');
    },
  );

  test('HEAD is GET without a body', async () => {
    const [head, get] = [await send('HEAD', statusPath), await send('GET', statusPath)];
    expect(head).toMatchObject({ status: 200, body: undefined });
    expect(head.headers.get('etag')).toBe(get.headers.get('etag'));
    expect((await send('HEAD', '/_plugins/_aosc/nobody/_status')).status).toBe(404);
    expect((await send('HEAD', '/_plugins/_aosc/x/_start')).status).toBe(405);
  });
});

describe('bodies', () => {
  const change = (type: string, body: string) =>
    sendChecked(url, '/_cluster/settings', { method: 'PUT', headers: { 'content-type': type }, body });

  test.each(['utf-7', 'UTF-16LE', 'utf-32', 'utf-99', 'latin1'])('in %s are refused', async (charset) => {
    const { status, body } = await change(`application/json; charset=${charset}`, '{"persistent":{}}');
    expect({ status, body }).toEqual(errorLike(415, 'media_type_header_exception', 'charset'));
  });

  test.each(['_start', '_plan', '_preview_transform'])(
    'of %s keep the kinds of the numbers in params',
    async (action) => {
      const post = (params: string) =>
        sendChecked(url, `/_plugins/_aosc/books/${action}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: `{"options":{"doc_count_tolerance":2.0},"transform_script":{"type":"inline","source":"x","params":${params}}}`,
        });
      const decimal = 'transform_script.params holds the decimal [2.0] at [a.1]';
      const { status, body } = await post('{"a":[1,2.0]}');
      expect({ status, body }).toEqual(errorLike(400, 'action_request_validation_exception', decimal));
      expect(JSON.stringify(await post('{"a":[1,2]}'))).not.toContain('decimal');
      expect(JSON.stringify(await post('2.0'))).not.toContain('decimal [2.0] at');
    },
  );

  test('in UTF-8 are read, whether it is said or not', async () => {
    for (const type of ['application/json', 'application/json; charset="UTF-8"']) {
      const { status, body } = await change(type, '{"persistent":{}}');
      expect({ status, body }).toEqual(errorLike(400, 'action_request_validation_exception', 'no settings'));
    }
  });

  test('of more levels than anybody needs are refused', async () => {
    const { status, body } = await change('application/json', '['.repeat(300_000) + ']'.repeat(300_000));
    expect({ status, body }).toEqual(errorLike(400, 'parsing_exception', 'more than 200 levels deep'));
  });
});

describe('polls of the status', () => {
  test('304 until a record has another version', async () => {
    const first = await send('GET', statusPath);
    const tag = first.headers.get('etag') ?? '';
    expect(tag).toMatch(/^W\/"[\w-]{22}"$/);
    const again = await send('GET', statusPath, { 'if-none-match': tag });
    expect(again).toMatchObject({ status: 304, body: undefined });
    expect(again.headers.get('etag')).toBe(tag);
    version += 1;
    const changed = await send('GET', statusPath, { 'if-none-match': tag });
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(tag);
  });

  test('a source without a migration is 404, whatever the client has', async () => {
    const { status } = await send('GET', '/_plugins/_aosc/nobody/_status', { 'if-none-match': '*' });
    expect(status).toBe(404);
  });
});

describe('one shard', () => {
  const shardPath = (shard: string) => `/_plugins/_aosc/books/_shards/${shard}`;

  test('that nobody works on has no owner, and no primary when its source is gone', async () => {
    const { status, body } = await send('GET', shardPath('0'));
    expect({ status, body }).toMatchObject({ status: 200, body: { shard: 0, snapshots: [], epoch: 1 } });
    expect(body).not.toHaveProperty('owner');
    expect(body).not.toHaveProperty('primary');
  });

  test.each([
    ['4', 404, 'resource_not_found_exception', 'No shard [4]'],
    ['-1', 400, 'illegal_argument_exception', 'is no number of a shard'],
    ['1e1', 400, 'illegal_argument_exception', 'is no number of a shard'],
    ['99999999999999999999', 400, 'illegal_argument_exception', 'is no number of a shard'],
  ] as const)('%s is refused with %i', async (shard, code, type, reason) => {
    const { status, body } = await send('GET', shardPath(shard));
    expect({ status, body }).toEqual(errorLike(code, type, reason));
  });
});

test('a status read ends when the client that waits for it has gone', async () => {
  let ended: () => void = () => undefined;
  let begun: () => void = () => undefined;
  const hasEnded = new Promise<void>((resolve) => (ended = resolve));
  const hasBegun = new Promise<void>((resolve) => (begun = resolve));
  const logged: unknown[] = [];
  const deps = createDependencies({
    findMigrationBySource: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reject(new Error('ended early'));
          ended();
        });
        begun();
      }),
  });
  const logger = { ...deps.logger, error: (message: string) => void logged.push(message) };
  const slow = createServer(createApp({ ...deps, logger }));
  await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
  const address = slow.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server does not listen');
  const client = httpRequest({ host: '127.0.0.1', port: address.port, path: statusPath, agent: false });
  client.once('error', () => undefined);
  client.end();
  await hasBegun;
  client.destroy();
  await hasEnded;
  await new Promise((resolve) => slow.close(resolve));
  expect(logged).toEqual([]);
});
