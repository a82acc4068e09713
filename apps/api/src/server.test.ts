import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { ConfigError, parseEnv } from '@aosc/config';
import { createLogger } from '@aosc/telemetry';
import { keyEntry } from './auth/__tests__/credentials';
import { type ApiServer, startApiServer } from './server';

const certificates = join(__dirname, '../../../tests/certificates');
const cert = join(certificates, 'localhost.pem');
const key = join(certificates, 'localhost-key.pem');

let folder: string;
let credentials: string;
const running: ApiServer[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'aosc-api-'));
  credentials = write(
    'auth.json',
    JSON.stringify({
      api_keys: [keyEntry('reader', ['read']), keyEntry('orders', ['operate'], ['orders-*'])],
    }),
  );
});
afterEach(() => Promise.all(running.splice(0).map((server) => server.close())));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** The whole server, with nobody at the addresses of OpenSearch and Redis. */
async function start(
  env: Record<string, string>,
): Promise<{ server: ApiServer; url: string; log: PassThrough }> {
  const nobody = { AOSC_OPENSEARCH_URL: 'http://127.0.0.1:1', AOSC_REDIS_URL: 'redis://127.0.0.1:1' };
  const config = { ...parseEnv({ ...nobody, ...env }, 'api'), apiPort: 0 };
  const log = new PassThrough({ highWaterMark: 2 ** 20 });
  const logger = createLogger({ app: 'api', level: config.logLevel, stream: log });
  const server = await startApiServer(config, logger, { reloadEveryMs: 10, auditStream: log });
  running.push(server);
  return { server, url: `${server.scheme}://127.0.0.1:${server.port}`, log };
}

test('without a credentials file everything is open to the loopback address, and to no other name', async () => {
  const { url, server } = await start({});
  expect((await fetch(`${url}/metrics`)).status).toBe(200);
  expect((await fetch(`${url}/nothing`)).status).toBe(404);
  expect(server.host).toBe('127.0.0.1');
  const ready = (await (await fetch(`${url}/readyz`)).json()) as object;
  expect(ready).toMatchObject({
    ok: false,
    checks: [{ name: 'opensearch', reason: expect.anything() as unknown }, {}, {}],
  });
});

test('with one, probes are open and tell no reasons; all else asks for a key, pages of other sites not even then', async () => {
  const { url } = await start({ AOSC_AUTH_FILE: credentials });
  const authorization = 'ApiKey reader';
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  const ready = await fetch(`${url}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([
    503,
    {
      ok: false,
      checks: [
        { name: 'opensearch', ok: false },
        { name: 'redis', ok: false },
        { name: 'installation', ok: false },
      ],
    },
  ]);
  expect(await (await fetch(`${url}/readyz`, { headers: { authorization } })).text()).toContain('reason');
  expect((await fetch(`${url}/metrics`)).status).toBe(401);
  expect((await fetch(`${url}/metrics`, { headers: { authorization } })).status).toBe(200);
  expect((await fetch(`${url}/nothing`, { headers: { authorization } })).status).toBe(403);
  const list = `${url}/_plugins/_aosc/_list`;
  const settings = await fetch(`${url}/_cluster/settings`, { method: 'PUT', headers: { authorization } });
  expect(settings.status).toBe(403);
  const foreign = await fetch(list, { headers: { authorization, origin: 'http://evil.example' } });
  expect([foreign.status, await foreign.text()]).toEqual([
    403,
    expect.stringContaining('pages of other sites'),
  ]);
});

test.each([
  ['GET', '/books/_status', undefined],
  ['POST', '/books/_cancel', undefined],
  ['POST', '/books/_start', { target_index: 'orders-2', alias: 'a' }],
  ['POST', '/orders-1/_start', { target_index: 'books', alias: 'a' }],
])(
  'a key for orders-* is refused before anything is asked of OpenSearch: %s %s %j',
  async (method, path, body) => {
    const { url } = await start({ AOSC_AUTH_FILE: credentials });
    const headers = { authorization: 'ApiKey orders', 'content-type': 'application/json' };
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${url}/_plugins/_aosc${path}`, { method, headers, ...content });
    expect([answer.status, await answer.text()]).toEqual([
      403,
      expect.stringContaining('[orders] may not use index [books]'),
    ]);
  },
);

test('with a certificate it speaks TLS', async () => {
  const { server } = await start({ AOSC_API_TLS_CERT: cert, AOSC_API_TLS_KEY: key });
  expect(server.scheme).toBe('https');
  const request = secureRequest({
    host: '127.0.0.1',
    port: server.port,
    path: '/healthz',
    ca: readFileSync(cert),
  }).end();
  const [response] = (await once(request, 'response')) as [{ statusCode: number; resume(): void }];
  response.resume();
  expect(response.statusCode).toBe(200);
});

/** Asks until the answer is the expected one; the test's own time limit ends it. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve));
}

test('a page whose own name was made to point here is refused before every route, whatever it asks for', async () => {
  const { server } = await start({});
  const ask = async (path: string, headers: Record<string, string>, method = 'GET') => {
    const asked = request({ host: '127.0.0.1', port: server.port, path, method, headers }).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode;
  };
  for (const path of ['/healthz', '/readyz', '/metrics', '/queues', '/_cluster/settings', '/nothing']) {
    expect([path, await ask(path, { host: `evil.example:${server.port}` })]).toEqual([path, 403]);
    expect([path, await ask(path, { origin: 'http://evil.example' })]).toEqual([path, 403]);
    expect([path, await ask(path, { 'sec-fetch-site': 'cross-site' })]).toEqual([path, 403]);
  }
  const headers = { host: 'evil.example', origin: 'http://evil.example', 'content-type': 'application/json' };
  expect(await ask('/_cluster/settings', headers, 'PUT')).toBe(403);
});

test('beyond loopback without credentials it answers to the names it was given alone', async () => {
  const { server } = await start({
    AOSC_API_HOST: '0.0.0.0',
    AOSC_API_ALLOW_UNAUTHENTICATED: 'on-any-address',
    AOSC_API_ALLOWED_HOSTS: 'aosc.internal,127.0.0.1',
  });
  const statuses = [];
  for (const host of ['aosc.internal', '127.0.0.1', 'evil.example']) {
    const asked = request({
      host: '127.0.0.1',
      port: server.port,
      path: '/metrics',
      headers: { host },
    }).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    answer.resume();
    statuses.push(answer.statusCode);
  }
  expect(statuses).toEqual([200, 200, 403]);
});

test('credentials change without a restart; a file that is broken changes nothing and is told once', async () => {
  const file = write('changing.json', JSON.stringify({ api_keys: [keyEntry('old', ['read'])] }));
  const { url, log } = await start({ AOSC_AUTH_FILE: file, AOSC_API_RATE_PER_SECOND: '0' });
  const statusOf = async (key: string) =>
    (await fetch(`${url}/metrics`, { headers: { authorization: `ApiKey ${key}` } })).status;
  expect([await statusOf('old'), await statusOf('new')]).toEqual([200, 401]);
  writeFileSync(file, '{"api_keys": [');
  let lines = '';
  await until(() => {
    lines += String(log.read() ?? '');
    return Promise.resolve(lines.includes('"event":"reload_failed"'));
  });
  expect(await statusOf('old')).toBe(200);
  writeFileSync(file, JSON.stringify({ api_keys: [keyEntry('new', ['read'])] }));
  await until(async () => (await statusOf('new')) === 200);
  expect(await statusOf('old')).toBe(401);
  lines += String(log.read() ?? '');
  expect(lines.match(/not JSON/g)?.length).toBeGreaterThan(0);
  expect(lines).toContain('"event":"files_reloaded"');
});

test('a certificate changes without a restart; one without its key changes nothing', async () => {
  const [certFile, keyFile] = [
    write('tls.pem', readFileSync(cert, 'utf8')),
    write('tls-key.pem', readFileSync(key, 'utf8')),
  ];
  const { server, log } = await start({ AOSC_API_TLS_CERT: certFile, AOSC_API_TLS_KEY: keyFile });
  const shown = async () => {
    const socket = connectTls({ port: server.port, host: '127.0.0.1', rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const name = socket.getPeerCertificate().subject.CN;
    socket.destroy();
    return name;
  };
  expect(await shown()).toBe('aosc test');
  writeFileSync(certFile, readFileSync(join(certificates, 'renewed.pem')));
  let lines = '';
  await until(() => {
    lines += String(log.read() ?? '');
    return Promise.resolve(lines.includes('"event":"reload_failed"'));
  });
  expect(await shown()).toBe('aosc test');
  writeFileSync(keyFile, readFileSync(join(certificates, 'renewed-key.pem')));
  await until(async () => (await shown()) === 'renewed');
});

test.each([
  ['plain HTTP', () => ({})],
  ['TLS', () => ({ AOSC_API_TLS_CERT: cert, AOSC_API_TLS_KEY: key })],
])('an address gets so many connections, silent ones included, over %s', async (_what, env) => {
  const { server } = await start({
    ...env(),
    AOSC_API_CONNECTIONS_PER_ADDRESS: '5',
    AOSC_API_RATE_PER_SECOND: '0',
  });
  const silent = [];
  for (let number = 0; number < 5; number += 1) {
    const socket = connect(server.port, '127.0.0.1');
    await once(socket, 'connect');
    silent.push(socket);
  }
  const more = connect(server.port, '127.0.0.1').on('error', () => undefined);
  await once(more, 'close');
  const elsewhere = connect({ port: server.port, host: '127.0.0.1', localAddress: '127.0.0.2' });
  await once(elsewhere, 'connect');
  const secure =
    server.scheme === 'https' ? connectTls({ socket: elsewhere, rejectUnauthorized: false }) : elsewhere;
  secure.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
  const [answer] = (await once(secure, 'data')) as [Buffer];
  expect(answer.toString()).toContain('200 OK');
  // the silent ones still have their places
  expect(silent.every(({ destroyed, readableEnded }) => !destroyed && !readableEnded)).toBe(true);
  for (const socket of [...silent, secure]) socket.destroy();
});

test('the audit log is a file of its own, whatever the log level', async () => {
  const path = join(folder, 'audit.jsonl');
  const { url, log } = await start({
    AOSC_AUTH_FILE: credentials,
    AOSC_AUDIT_LOG: path,
    AOSC_LOG_LEVEL: 'error',
  });
  const script = "ctx._source.secret = 'x'";
  const body = {
    target_index: 'orders-2',
    alias: 'orders',
    transform_script: { type: 'inline', source: script, lang: 'painless', params: { a: 'data' } },
    options: {
      validation_query: { term: { a: 'data' } },
      doc_count_tolerance: 3,
      remove_source_write_block_on_success: true,
    },
  };
  const headers = { authorization: 'ApiKey orders', 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  await fetch(`${url}/_plugins/_aosc/orders-1/_start`, init);
  // a line is written when the answer has gone out
  await until(() => Promise.resolve(readFileSync(path, 'utf8') !== ''));
  const line: unknown = JSON.parse(readFileSync(path, 'utf8'));
  const hash = (text: string) => `sha256$${createHash('sha256').update(text).digest('hex')}`;
  expect(line).toMatchObject({
    event: 'audit',
    action: 'start',
    who: 'orders',
    index: 'orders-1',
    targetIndex: 'orders-2',
    alias: 'orders',
    scriptType: 'inline',
    scriptHash: hash(script),
    scriptParamsHash: hash('{"a":"data"}'),
    queryHash: hash('{"term":{"a":"data"}}'),
    options: { doc_count_tolerance: 3, remove_source_write_block_on_success: true },
  });
  expect(JSON.stringify(line)).not.toContain('data"');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(String(log.read() ?? '')).not.toContain('"event":"audit"');
});

test('a name that no index can have is refused before anything is done with it', async () => {
  const { url } = await start({});
  const long = 'a'.repeat(14_000);
  for (const [method, action] of [
    ['GET', '_status'],
    ['POST', '_cancel'],
    ['POST', '_start'],
  ] as const) {
    const answer = await fetch(`${url}/_plugins/_aosc/${long}/${action}`, { method });
    const text = await answer.text();
    expect([answer.status, text.length < 1_000]).toEqual([400, true]);
    expect(text).toContain('index name is too long, (14000 > 255)');
  }
  expect((await fetch(`${url}/_plugins/_aosc/${'ä'.repeat(128)}/_status`)).status).toBe(400);
});

test('refused requests are a few lines in the log, and the others a number', async () => {
  const { url, log } = await start({ AOSC_API_RATE_PER_SECOND: '0' });
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
  for (let times = 0; times < 200; times += 1) await fetch(`${url}/_plugins/_aosc/a/_start`, init);
  const lines = String(log.read() ?? '')
    .split('\n')
    .filter((line) => line.includes('"event":"request_failed"'));
  expect(lines.length).toBeGreaterThanOrEqual(20);
  expect(lines.length).toBeLessThan(150);
});

test.each([
  [
    'an audit log in no folder',
    () => ({ AOSC_AUDIT_LOG: join(folder, 'none', 'audit') }),
    /AOSC_AUDIT_LOG.*can't be written/,
  ],
  [
    'a credentials file that is not there',
    () => ({ AOSC_AUTH_FILE: join(folder, 'none') }),
    /AOSC_AUTH_FILE.*can't be read/,
  ],
  ['one that is empty', () => ({ AOSC_AUTH_FILE: write('empty', '') }), /AOSC_AUTH_FILE.*is empty/],
  [
    'one that is wrong',
    () => ({ AOSC_AUTH_FILE: write('wrong', '{"api_keys": [{"name": "x"}]}') }),
    /AOSC_AUTH_FILE.*\/api_keys\/0/,
  ],
  [
    'a certificate that is none',
    () => ({ AOSC_API_TLS_CERT: credentials, AOSC_API_TLS_KEY: key }),
    /AOSC_API_TLS_CERT.*not PEM/,
  ],
  [
    'a key where the certificate should be',
    () => ({ AOSC_API_TLS_CERT: key, AOSC_API_TLS_KEY: key }),
    /AOSC_API_TLS_CERT and AOSC_API_TLS_KEY/,
  ],
  ['an authority that is none', () => ({ AOSC_OPENSEARCH_CA: credentials }), /AOSC_OPENSEARCH_CA.*not PEM/],
])('%s ends the start with one line', async (_what, env, line) => {
  const failure: unknown = await start(env()).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ConfigError);
  if (failure instanceof ConfigError) expect(failure.problems).toEqual([expect.stringMatching(line)]);
});
