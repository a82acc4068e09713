import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { operations, type Role, roles } from '@aosc/contract';
import { createLogger } from '@aosc/telemetry';
import express from 'express';
import { createErrorHandler } from '../http/error-handler';
import { budgetsOfOne } from '../__tests__/budgets-of-one';
import { setSecurityHeaders } from '../http/security-headers';
import { createLimits } from '../limits/limits';
import { basic, keyEntry, passwordHash } from './__tests__/credentials';
import { auditRequests } from './audit';
import { guardDoor } from './authenticate';
import { createAuthenticator } from './authenticator';
import { requireIndex } from './principal';
import { readCredentials } from './read-credentials';
import { notesOf } from './request-notes';
import { accessOf } from './routes';

const credentials = readCredentials(
  JSON.stringify({
    users: [{ name: 'ann', password_hash: passwordHash('s3cret'), roles: ['read'] }],
    api_keys: [...roles.map((role) => keyEntry(role, [role])), keyEntry('orders', ['operate'], ['orders-*'])],
  }),
);
const authenticate = createAuthenticator(credentials);

const closers: (() => void)[] = [];
afterEach(() => closers.splice(0).forEach((close) => close()));

/** Everything in front of the routes, and a route that answers whatever came through. */
async function startApp(perSecond = 0, known = authenticate) {
  const clock = { millis: 0 };
  const stream = new PassThrough();
  const logger = createLogger({ app: 'api', level: 'info', stream });
  const limits = createLimits(
    budgetsOfOne(() => clock.millis),
    perSecond,
  );
  const app = express();
  // Whom the proxy has heard stands in a header, as far as a test wants it.
  app.set('trust proxy', () => true);
  app.use(...setSecurityHeaders(false), auditRequests(logger));
  app.use(guardDoor({ authenticate: known, limits }));
  app.post('/_plugins/_aosc/:index/:action', (request, response) => {
    requireIndex(notesOf(request).principal, request.params.index);
    Object.assign(notesOf(request).audit, { migration: 'm1' });
    response.json({ who: notesOf(request).principal?.name });
  });
  app.use((request, response) => {
    response.json({ who: notesOf(request).principal?.name });
  });
  app.use(createErrorHandler(logger));
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const ask = async (method: string, path: string, authorization?: string, from = '203.0.113.1') => {
    const headers = { 'x-forwarded-for': from, ...(authorization !== undefined && { authorization }) };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text };
  };
  const auditLines = () =>
    String(stream.read() ?? '')
      .split('\n')
      .filter((line) => line.includes('"event":"audit"'))
      .map((line) => JSON.parse(line) as unknown);
  return { ask, auditLines, clock };
}

const unlisted = [
  ['GET', '/', 'admin'],
  ['DELETE', '/queues/api/queues/replay', 'admin'],
  ['PUT', '/queues/api/queues/replay/promote', 'admin'],
  ['GET', '/queues2', 'admin'],
  ['GET', '//queues', 'admin'],
  ['DELETE', '/_cluster/settings', 'admin'],
  ['GET', '/_plugins/_aosc/books/_start', 'admin'],
  ['POST', '/_plugins/_aosc//_start', 'admin'],
  ['POST', '/_plugins/_aosc/a/b/_start', 'admin'],
  ['GET', '/_plugins/_aosc/_LIST', 'admin'],
] as const;
const alike = [
  ['GET', '/_plugins/_aosc/_list/', 'read'],
  ['HEAD', '/_plugins/_aosc/_list', 'read'],
  ['GET', '/_plugins/_aosc/_list?status=all', 'read'],
  ['GET', '/queues', 'read'],
  ['GET', '/queues/', 'read'],
  ['GET', '/queues/queue/replay?status=active', 'read'],
] as const;
/** The contract's roles, written down a second time: the table in the code is held to it. */
const listed: readonly (readonly [string, string, Role | 'open'])[] = [
  ['GET', '/healthz', 'open'],
  ['GET', '/readyz', 'open'],
  ['GET', '/metrics', 'read'],
  ['GET', '/openapi.json', 'read'],
  ['GET', '/_cluster/settings', 'read'],
  ['PUT', '/_cluster/settings', 'admin'],
  ['GET', '/_plugins/_aosc/_list', 'read'],
  ['GET', '/_plugins/_aosc/_session', 'open'],
  ['POST', '/_plugins/_aosc/_session', 'read'],
  ['DELETE', '/_plugins/_aosc/_session', 'open'],
  ['GET', '/_plugins/_aosc/_events', 'read'],
  ['POST', '/_plugins/_aosc/_admin/_cleanup_leases', 'admin'],
  ['POST', '/_plugins/_aosc/_admin/_clear_state', 'admin'],
  ['GET', '/_plugins/_aosc/books/_status', 'read'],
  ['GET', '/_plugins/_aosc/books/_timeline', 'read'],
  ['GET', '/_plugins/_aosc/books/_verify', 'read'],
  ['GET', '/_plugins/_aosc/books/_set_aside', 'read'],
  ['GET', '/_plugins/_aosc/books/_shards/0', 'read'],
  ['GET', '/_plugins/_aosc/_indices', 'read'],
  ['GET', '/_plugins/_aosc/_migrations/a__b__1', 'read'],
  ['GET', '/_plugins/_aosc/_migrations/a__b__1/_timeline', 'read'],
  ['GET', '/_plugins/_aosc/_migrations/a__b__1/_verify', 'read'],
  ['GET', '/_plugins/_aosc/_migrations/a__b__1/_shards/0', 'read'],
  ['GET', '/_plugins/_aosc/_migrations/a__b__1/_indices', 'read'],
  ['POST', '/_plugins/_aosc/books/_start', 'operate'],
  ['POST', '/_plugins/_aosc/books/_create_target', 'operate'],
  ['POST', '/_plugins/_aosc/books/_plan', 'operate'],
  ['POST', '/_plugins/_aosc/books/_preview_transform', 'operate'],
  ['POST', '/_plugins/_aosc/books/_cancel', 'operate'],
  ['POST', '/_plugins/_aosc/books/_cutover', 'operate'],
  ['POST', '/_plugins/_aosc/books/_set_aside/_retry', 'operate'],
  ['POST', '/_plugins/_aosc/books/_verify', 'operate'],
  ['GET', '/queues/api/queues', 'read'],
];

test('every operation of the contract is in the test', () => {
  const rows = operations.map(({ method, path, role }) => [
    method.toUpperCase(),
    path.replace('{index}', 'books').replace('{migration_id}', 'a__b__1').replace('{shard}', '0'),
    role,
  ]);
  const board = ['GET', '/queues/api/queues', 'read'];
  expect([...rows, board].sort()).toEqual([...listed].sort());
});

test.each([...listed, ...unlisted, ...alike])('%s %s needs %s', async (method, path, needed) => {
  const { ask } = await startApp();
  const order: readonly string[] = ['open', ...roles];
  for (const role of roles) {
    const allowed = order.indexOf(role) >= order.indexOf(needed);
    const { status, text } = await ask(method, path, `ApiKey ${role}`);
    expect([role, status]).toEqual([role, allowed ? 200 : 403]);
    if (!allowed && method !== 'HEAD') expect(text).toContain(`this request needs [${needed}]`);
  }
  expect((await ask(method, path)).status).toBe(needed === 'open' ? 200 : 401);
  for (const wrong of ['ApiKey wrong', basic('ann', 'wrong'), basic('bob', 's3cret'), 'Bearer admin']) {
    expect((await ask(method, path, wrong)).status).toBe(401);
  }
});

test('a password that is right', async () => {
  const { ask } = await startApp();
  const { status, text } = await ask('GET', '/_plugins/_aosc/_list', basic('ann', 's3cret'));
  expect([status, text]).toEqual([200, '{"who":"ann"}']);
});

test('without credentials: 401 in the shape of OpenSearch, with the schemes to use', async () => {
  const { ask } = await startApp();
  const { status, headers, text } = await ask('GET', '/_plugins/_aosc/_list');
  expect(status).toBe(401);
  expect(headers.get('www-authenticate')).toBe('Basic realm="aosc", charset="UTF-8", ApiKey realm="aosc"');
  expect(JSON.parse(text)).toMatchObject({ status: 401, error: { type: 'security_exception' } });
});

test('a credential for some indices is refused for others, however the name is written', async () => {
  const { ask } = await startApp();
  const cancel = (index: string) => ask('POST', `/_plugins/_aosc/${index}/_cancel`, 'ApiKey orders');
  expect((await cancel('orders-1')).status).toBe(200);
  expect((await cancel('orders%2D1')).status).toBe(200);
  const refused = await cancel('books');
  expect(refused.status).toBe(403);
  expect(refused.text).toContain(
    '[orders] may not use index [books]: its credential is limited to [orders-*]',
  );
});

test('the audit log: who, what, which index, outcome, from where; nothing for reading, no secrets', async () => {
  const { ask, auditLines } = await startApp();
  await ask('GET', '/_plugins/_aosc/books/_status', 'ApiKey read');
  await ask('POST', '/_plugins/_aosc/orders-1/_start', 'ApiKey orders');
  await ask('POST', '/_plugins/_aosc/books/_cancel', 'ApiKey orders');
  await ask('PUT', '/_cluster/settings', basic('ann', 's3cret'));
  await ask('GET', '/queues/api/queues', 'ApiKey read');
  await ask('GET', '/_plugins/_aosc/_list', basic('ann', 'wrong-s3cret'));
  await ask('GET', '/_plugins/_aosc/_list', basic('s3cret', 'ann'));
  await ask('GET', '/_plugins/_aosc/_list');
  const lines = auditLines();
  const remoteAddress = '203.0.113.1';
  expect(lines).toMatchObject([
    {
      action: 'start',
      index: 'orders-1',
      who: 'orders',
      whoKind: 'api_key',
      outcome: 'done',
      migration: 'm1',
      remoteAddress,
    },
    { action: 'cancel', index: 'books', who: 'orders', outcome: 'refused', status: 403, remoteAddress },
    {
      action: 'change_settings',
      who: 'ann',
      whoKind: 'user',
      outcome: 'refused',
      status: 403,
      remoteAddress,
    },
    { action: 'authenticate', who: 'ann', outcome: 'refused', status: 401, remoteAddress },
    { action: 'authenticate', who: 'unauthenticated', outcome: 'refused', status: 401, remoteAddress },
    { action: 'authenticate', who: 'unauthenticated', outcome: 'refused', status: 401, remoteAddress },
  ]);
  expect(JSON.stringify(lines)).not.toContain('s3cret');
});

test('an address without credentials that asks too often is told when to come back', async () => {
  const { ask, clock } = await startApp(1);
  const probe = () => ask('GET', '/healthz');
  expect([(await probe()).status, (await probe()).status]).toEqual([200, 200]);
  const { status, headers, text } = await probe();
  expect([status, headers.get('retry-after')]).toEqual([429, '2']);
  expect(JSON.parse(text)).toMatchObject({ error: { type: 'rate_limited_exception' } });
  expect((await ask('GET', '/healthz', undefined, '203.0.113.2')).status).toBe(200);
  clock.millis = 2000;
  expect((await probe()).status).toBe(200);
});

test('each credential pays for itself, from whatever addresses, and its refusals are no audit lines', async () => {
  const { ask, auditLines } = await startApp(1);
  const statuses = [];
  for (let tries = 0; tries < 20; tries += 1) {
    const from = `203.0.113.${tries}`;
    statuses.push((await ask('POST', '/_plugins/_aosc/orders-1/_start', 'ApiKey orders', from)).status);
  }
  expect(statuses.slice(0, 4)).toEqual([200, 200, 429, 429]);
  expect(auditLines()).toHaveLength(2);
  expect((await ask('GET', '/metrics', 'ApiKey read')).status).toBe(200);
});

test.each([
  ['nothing', () => undefined],
  ['wrong keys', (number: number) => `ApiKey wrong ${number}`],
  ['wrong passwords', (number: number) => basic('ann', `wrong ${number}`)],
])('a flood of %s keeps no right credential of the same address out', async (_what, junk) => {
  const { ask } = await startApp(20);
  const right = basic('ann', 's3cret');
  expect((await ask('GET', '/metrics', right)).status).toBe(200);
  const flood = Array.from({ length: 60 }, (_, number) => ask('GET', '/metrics', junk(number)));
  const good = Array.from({ length: 15 }, (_, number) =>
    ask('GET', '/metrics', number % 2 === 0 ? 'ApiKey read' : right),
  );
  expect((await Promise.all(good)).map(({ status }) => status)).toEqual(good.map(() => 200));
  const statuses = (await Promise.all(flood)).map(({ status }) => status);
  expect(statuses).toContain(429);
  // 40 points, and eleven for each
  expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(3);
});

test('logins that find no place to wait cost as much as wrong ones: their answers are bounded, too', async () => {
  const { ask } = await startApp(100);
  const asked = Array.from({ length: 60 }, (_, number) =>
    ask('GET', '/metrics', basic('ann', `wrong ${number}`)),
  );
  const told = (await Promise.all(asked)).filter(({ text }) => text.includes('Too many logins'));
  expect(told.length).toBeLessThanOrEqual(18);
});

test('requests that wait for the same check of a right password are charged for it once, and get it back', async () => {
  const { ask } = await startApp(20, createAuthenticator(credentials));
  const asked = Array.from({ length: 30 }, () => ask('GET', '/metrics', basic('ann', 's3cret')));
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
});

const expectedHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none';frame-ancestors 'none';base-uri 'none';form-action 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

test('answers, errors included, carry the security headers', async () => {
  const { ask } = await startApp();
  for (const authorization of [undefined, 'ApiKey admin']) {
    const { headers } = await ask('GET', '/_plugins/_aosc/_list', authorization);
    expect(Object.fromEntries(headers)).toMatchObject(expectedHeaders);
    expect(headers.has('strict-transport-security')).toBe(false);
  }
});

test('the index of a path is decoded; one that can not be is taken as it is', () => {
  expect(accessOf('GET', '/_plugins/_aosc/a%2Db/_status')).toEqual({ role: 'read', index: 'a-b' });
  expect(accessOf('GET', '/_plugins/_aosc/a%ZZ/_status')).toEqual({ role: 'read', index: 'a%ZZ' });
});
