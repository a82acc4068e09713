import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import {
  certificate as cert,
  renewedCertificate,
  renewedKey,
  useServers,
} from './__tests__/server-under-test';
import { keyEntry } from './auth/__tests__/credentials';

const { start, write, inFolder, key } = useServers();
let credentials: string;
beforeAll(() => {
  credentials = write(
    'auth.json',
    JSON.stringify({ api_keys: [keyEntry('orders', ['operate'], ['orders-*'])] }),
  );
});

let running = { isOver: false };
beforeEach(() => (running = { isOver: false }));
afterEach(() => {
  running.isOver = true;
});

/** Asks until the answer is the expected one; the test's own time limit ends it. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  const ofTest = running;
  while (!(await isSo())) {
    if (ofTest.isOver) throw new Error('the test has ended before that');
    await new Promise((resolve) => setImmediate(resolve));
  }
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

test('two hosts in one request are refused: whatever stands in between may have judged the other one', async () => {
  const { server } = await start({});
  const socket = connect(server.port, '127.0.0.1');
  socket.write('GET /metrics HTTP/1.1\r\nhost: 127.0.0.1\r\nHost: evil.example\r\nconnection: close\r\n\r\n');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toContain('400 Bad Request');
  socket.destroy();
});

describe('behind a proxy', () => {
  const ask = async (url: string, from: string, key?: string) => {
    const headers = { 'x-forwarded-for': from, ...(key !== undefined && { authorization: `ApiKey ${key}` }) };
    return (await fetch(`${url}/_plugins/_aosc/_list`, { headers })).status;
  };

  test('that is trusted, each client pays for itself, and a junk key of one keeps no other out', async () => {
    const { url } = await start({
      AOSC_AUTH_FILE: credentials,
      AOSC_API_RATE_PER_SECOND: '10',
      AOSC_API_TRUSTED_PROXIES: '127.0.0.0/8',
    });
    const junk = [];
    for (let times = 0; times < 5; times += 1) junk.push(await ask(url, '203.0.113.1', 'junk'));
    expect(junk).toEqual([401, 429, 429, 429, 429]);
    expect(await ask(url, '203.0.113.2', 'junk')).toBe(401);
    // What a client says itself stands further left, and is not looked at.
    expect(await ask(url, '203.0.113.3, 203.0.113.1', 'junk')).toBe(429);
  });

  test('that is not, nobody chooses an address by a header', async () => {
    const { url } = await start({ AOSC_AUTH_FILE: credentials, AOSC_API_RATE_PER_SECOND: '10' });
    const statuses = [];
    for (let times = 0; times < 3; times += 1) statuses.push(await ask(url, `203.0.113.${times}`, 'junk'));
    expect(statuses).toEqual([401, 429, 429]);
  });

  test('25 junk requests at a time beside a valid key: the key is answered each time', async () => {
    const { url } = await start({ AOSC_AUTH_FILE: credentials, AOSC_API_RATE_PER_SECOND: '20' });
    const good = [];
    for (let round = 0; round < 8; round += 1) {
      const junk = Array.from({ length: 25 }, () => ask(url, '203.0.113.1', 'junk'));
      good.push(await ask(url, '203.0.113.1', 'orders'));
      await Promise.all(junk);
    }
    // No server is at the address of OpenSearch: what counts is that the door has let the key in.
    expect(good).toEqual(good.map(() => 503));
  });

  test('that ends TLS, browsers come back by HTTPS alone and cookies go over nothing else', async () => {
    const env = { AOSC_AUTH_FILE: credentials, AOSC_API_PROXY_TLS: 'yes' };
    const { url } = await start(env);
    const signIn = await fetch(`${url}/_plugins/_aosc/_session`, {
      method: 'POST',
      headers: { authorization: 'ApiKey orders' },
    });
    expect(signIn.headers.get('set-cookie')).toMatch(
      /^__Host-aosc_session=.*; Path=\/; .*; HttpOnly; Secure; SameSite=Strict$/,
    );
    expect(signIn.headers.get('strict-transport-security')).toBe('max-age=31536000');
    const plain = await start({ AOSC_AUTH_FILE: credentials });
    expect((await fetch(`${plain.url}/healthz`)).headers.has('strict-transport-security')).toBe(false);
  });

  test('that is trusted, one address may hold more connections than another may', async () => {
    const { server } = await start({
      AOSC_API_CONNECTIONS_PER_ADDRESS: '1',
      AOSC_API_TRUSTED_PROXIES: '127.0.0.2',
    });
    const open = async (localAddress: string) => {
      const socket = connect({ port: server.port, host: '127.0.0.1', localAddress });
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n');
      const outcome = await Promise.race([
        once(socket, 'data').then(([data]) => String(data).slice(9, 12)),
        once(socket, 'close').then(() => 'closed'),
      ]);
      return { socket, outcome };
    };
    const all = [];
    for (const address of ['127.0.0.2', '127.0.0.2', '127.0.0.3', '127.0.0.3']) all.push(await open(address));
    expect(all.map(({ outcome }) => outcome)).toEqual(['200', '200', '200', 'closed']);
    for (const { socket } of all) socket.destroy();
  });
});

test.each(['AOSC_AUTH_FILE', 'AOSC_SESSION_KEY_FILE'])(
  'a file with secrets that every user of the machine can read is refused: %s',
  async (name) => {
    const path = write('open.json', readFileSync(credentials, 'utf8'));
    chmodSync(path, 0o644);
    const env = { AOSC_AUTH_FILE: credentials, [name]: path };
    await expect(start(env)).rejects.toThrow(`${name}: every user of this machine can read the file ${path}`);
    chmodSync(path, 0o640);
    await start(env);
  },
);

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

test.each([
  ['POST', '/_plugins/_aosc/orders-1/_cancel'],
  ['GET', '/_plugins/_aosc/_events'],
])('a credential that is gone when the body comes gets nothing: %s %s', async (method, path) => {
  const file = write('held.json', JSON.stringify({ api_keys: [keyEntry('old', ['operate'])] }));
  const { server, url } = await start({ AOSC_AUTH_FILE: file, AOSC_API_RATE_PER_SECOND: '0' });
  const headers = {
    authorization: 'ApiKey old',
    'content-type': 'application/json',
    'content-length': '2',
    expect: '100-continue',
  };
  const asked = request({ host: '127.0.0.1', port: server.port, path, method, headers });
  asked.flushHeaders();
  await once(asked, 'continue');
  writeFileSync(file, JSON.stringify({ api_keys: [keyEntry('new', ['read'])] }));
  const asNew = { headers: { authorization: 'ApiKey new' } };
  await until(async () => (await fetch(`${url}/metrics`, asNew)).status === 200);
  asked.end('{}');
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  let text = '';
  if (answer.statusCode === 401) for await (const part of answer) text += String(part);
  asked.destroy();
  expect([answer.statusCode, text]).toEqual([401, expect.stringContaining('have just changed')]);
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
  writeFileSync(certFile, readFileSync(renewedCertificate));
  let lines = '';
  await until(() => {
    lines += String(log.read() ?? '');
    return Promise.resolve(lines.includes('"event":"reload_failed"'));
  });
  expect(await shown()).toBe('aosc test');
  writeFileSync(keyFile, readFileSync(renewedKey));
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

test('requests with an expectation that nobody knows count like all others', async () => {
  const { server } = await start({ AOSC_API_RATE_PER_SECOND: '1' });
  const socket = connect(server.port, '127.0.0.1');
  let answers = '';
  socket.on('data', (bytes: Buffer) => (answers += bytes.toString()));
  const closed = once(socket, 'close');
  socket.write('GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nexpect: nothing\r\n\r\n'.repeat(5));
  await until(() => Promise.resolve(answers.includes('429') || answers.split('HTTP/1.1 ').length === 6));
  socket.destroy();
  await closed;
  expect(answers.match(/HTTP\/1\.1 \d+/g)?.slice(0, 3)).toEqual([
    'HTTP/1.1 200',
    'HTTP/1.1 200',
    'HTTP/1.1 429',
  ]);
});

test('the audit log is a file of its own, whatever the log level', async () => {
  const path = inFolder('audit.jsonl');
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
    whoKind: 'api_key',
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
    ['POST', '_cutover'],
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

test('refusals of pages of other sites are paid for, and are a few lines in the audit log', async () => {
  const ask = async (url: string) =>
    (await fetch(`${url}/_plugins/_aosc/_list`, { headers: { origin: 'http://evil.example' } })).status;
  const slow = await start({ AOSC_API_RATE_PER_SECOND: '10' });
  const statuses = new Set<number>();
  await until(async () => statuses.add(await ask(slow.url)).has(429));
  expect([...statuses]).toEqual([403, 429]);
  const { url, log } = await start({ AOSC_API_RATE_PER_SECOND: '0' });
  for (let times = 0; times < 200; times += 1) await ask(url);
  const lines = String(log.read() ?? '')
    .split('\n')
    .filter((line) => line.includes('"event":"audit"'));
  expect(lines.length).toBeGreaterThanOrEqual(20);
  expect(lines.length).toBeLessThan(150);
});
