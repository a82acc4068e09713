import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { sendChecked } from '@aosc/testkit';
import { budgetsOfOne } from '../../__tests__/budgets-of-one';
import { createDependencies } from '../../__tests__/create-dependencies';
import { createApp } from '../../app';
import { basic, keyEntry, passwordHash } from '../__tests__/credentials';
import { createAuthenticator } from '../authenticator';
import { findCredential, readCredentials } from '../read-credentials';
import { createSessions } from './sessions';

const credentials = readCredentials(
  JSON.stringify({
    users: [
      { name: 'ann', password_hash: passwordHash('s3cret'), roles: ['operate'], index_patterns: ['a-*'] },
    ],
    api_keys: [keyEntry('looker', ['read']), keyEntry('root', ['admin'])],
  }),
);
const sessions = createSessions({
  key: Buffer.alloc(32, 7),
  findCredential: (kind, name) => findCredential(credentials, kind, name),
  isSecure: false,
  ended: budgetsOfOne(Date.now).marks('ended'),
  now: Date.now,
});
const app = createApp({
  ...createDependencies({ findMigrationBySource: () => Promise.resolve(undefined) }),
  authenticate: createAuthenticator(credentials),
  sessions,
});
const server = createServer(app);
let url: string;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const path = '/_plugins/_aosc/_session';
const ask = (method: string, headers: Record<string, string> = {}, to = path) =>
  sendChecked(url, to, { method, headers });

async function signIn(authorization: string) {
  const { status, body, headers } = await ask('POST', { authorization });
  const { csrf_token: token } = body as { csrf_token: string };
  return { status, body, token, cookie: headers.get('set-cookie')?.split(';')[0] ?? '' };
}

test('who is not signed in is told that it must; a wrong password signs nobody in', async () => {
  expect(await ask('GET')).toMatchObject({ status: 200, body: { authentication: 'required' } });
  expect((await ask('POST')).status).toBe(401);
  expect((await ask('POST', { authorization: basic('ann', 'wrong') })).status).toBe(401);
});

test('a password becomes a cookie that stands for it', async () => {
  const { status, body, cookie } = await signIn(basic('ann', 's3cret'));
  expect(status).toBe(200);
  expect(body).toMatchObject({
    authentication: 'required',
    principal: {
      name: 'ann',
      kind: 'user',
      roles: ['operate'],
      may_transform: false,
      index_patterns: ['a-*'],
    },
  });
  expect(await ask('GET', { cookie })).toMatchObject({ body: { principal: { name: 'ann' } } });
  expect((await ask('GET', { cookie }, '/_plugins/_aosc/a-1/_status')).status).toBe(404);
  expect((await ask('GET', { cookie }, '/_plugins/_aosc/b-1/_status')).status).toBe(403);
});

test('what changes something needs the token beside the cookie, and the role in any case', async () => {
  const { cookie, token } = await signIn(basic('ann', 's3cret'));
  const cancel = '/_plugins/_aosc/a-1/_cancel';
  expect((await ask('POST', { cookie }, cancel)).status).toBe(403);
  expect((await ask('POST', { cookie, 'x-aosc-csrf': `${token}x` }, cancel)).status).toBe(403);
  expect((await ask('POST', { cookie, 'x-aosc-csrf': token }, cancel)).status).toBe(404);
  const looker = await signIn('ApiKey looker');
  const headers = { cookie: looker.cookie, 'x-aosc-csrf': looker.token };
  expect((await ask('POST', headers, cancel)).status).toBe(403);
  expect((await ask('POST', { cookie, 'x-aosc-csrf': looker.token }, cancel)).status).toBe(403);
});

test('credentials that are shown go before the cookie', async () => {
  const { cookie } = await signIn('ApiKey looker');
  const { body } = await ask('GET', { cookie, authorization: 'ApiKey root' });
  expect(body).toMatchObject({ principal: { name: 'root' } });
  expect(body).not.toHaveProperty('csrf_token');
});

test('a session makes no other session', async () => {
  const { cookie, token } = await signIn('ApiKey root');
  expect((await ask('POST', { cookie, 'x-aosc-csrf': token })).status).toBe(400);
});

test('who signs out is out, with every copy of the cookie', async () => {
  const { cookie, token } = await signIn('ApiKey root');
  expect((await ask('DELETE', { cookie })).status).toBe(403);
  const out = await ask('DELETE', { cookie, 'x-aosc-csrf': token });
  expect(out).toMatchObject({ status: 200, body: { authentication: 'required' } });
  expect(out.headers.get('set-cookie')).toContain('Expires=Thu, 01 Jan 1970');
  expect(await ask('GET', { cookie })).toMatchObject({ body: { authentication: 'required' } });
  expect((await ask('GET', { cookie }, '/metrics')).status).toBe(401);
});

test('a status is for the one who asked for it alone', async () => {
  const { cookie } = await signIn(basic('ann', 's3cret'));
  const { headers } = await ask('GET', { cookie });
  expect(headers.get('cache-control')).toBe('no-store');
});

test('a page of the service is not asked for a password by the browser', async () => {
  const challengeOf = async (headers: Record<string, string>) =>
    (await ask('GET', headers, '/metrics')).headers.get('www-authenticate');
  expect(await challengeOf({})).toContain('Basic');
  // Node's fetch sends `sec-fetch-mode: cors` of itself.
  const page = { 'sec-fetch-site': 'same-origin' };
  expect(await challengeOf(page)).toBe('ApiKey realm="aosc"');
});
