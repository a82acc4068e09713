import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AoscError, roles } from '@aosc/contract';
import { appRoutes } from '@bull-board/api/dist/routes.js';
import { createApp } from '../app';
import { keyEntry } from '../auth/__tests__/credentials';
import { createAuthenticator } from '../auth/authenticator';
import { readCredentials } from '../auth/read-credentials';
import { createDependencies } from '../__tests__/create-dependencies';
import { withoutOtherHosts } from './create-board';

const closers: (() => void)[] = [];
afterEach(() => closers.splice(0).forEach((close) => close()));

/** The whole app, with a board that has no queues. */
async function start(parts: Partial<Parameters<typeof createApp>[0]> = {}): Promise<string> {
  const board = { open: () => Promise.resolve({ list: () => [] }) };
  const server = createServer(createApp({ ...createDependencies({}), board, ...parts }));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each(['/queues', '/queues/', '/queues/queue/replay', '/queues/queue/replay/1'])(
  'the page at %s and its files come from this server alone, under a policy that allows no other',
  async (path) => {
    const url = await start();
    const page = await fetch(`${url}${path}`);
    const html = await page.text();
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(html).toContain('<base href="/queues/"');
    expect(html).not.toMatch(/(?:href|src)="(?:https?:)?\/\//);
    const files = [...html.matchAll(/(?:href|src)="(static\/[^"]+)"/g)].map(([, file]) => file);
    expect(files.length).toBeGreaterThan(4);
    for (const file of files) expect((await fetch(`${url}/queues/${file}`)).status).toBe(200);
    // Nothing but data stands in the page itself.
    const inline = [...html.matchAll(/<script\b(?![^>]*\bsrc=)[^>]*>/g)].map(([tag]) => tag);
    expect(inline).toEqual(['<script id="__UI_CONFIG__" type="application/json">']);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/https?:|\*|unsafe/);
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    expect(page.headers.get('x-powered-by')).toBeNull();
  },
);

test('the policy of the board is for the board alone', async () => {
  const url = await start();
  const { headers } = await fetch(`${url}/openapi.json`);
  expect(headers.get('content-security-policy')).not.toContain('self');
});

test('a path that the board does not have is refused like any other', async () => {
  const url = await start();
  for (const path of ['/queues/nothing', '/queues/static/nothing.js', '/QUEUES']) {
    const answer = await fetch(`${url}${path}`);
    expect([answer.status, await answer.json()]).toMatchObject([
      404,
      { error: { type: 'no_handler_exception' } },
    ]);
  }
});

test('without Redis: 503 with the reason', async () => {
  const board = { open: () => Promise.reject(new AoscError('unavailable', 'Redis does not answer')) };
  const url = await start({ board });
  for (const path of ['/queues', '/queues/api/queues']) {
    const answer = await fetch(`${url}${path}`);
    expect([answer.status, await answer.json()]).toMatchObject([
      503,
      { status: 503, error: { type: 'service_unavailable_exception', reason: 'Redis does not answer' } },
    ]);
  }
});

/** Every route of this version of the board that is no reading. */
const changes = appRoutes.api.flatMap(({ method, route }) =>
  method === 'get' ? [] : [[String(method).toUpperCase(), String(route).replace(/:\w+/g, 'x')] as const],
);

test('whoever asks, the board shows and changes nothing', async () => {
  expect(changes.length).toBeGreaterThan(20);
  const authenticate = createAuthenticator(
    readCredentials(JSON.stringify({ api_keys: roles.map((role) => keyEntry(role, [role])) })),
  );
  const url = await start({ authenticate });
  for (const role of roles) {
    const headers = { authorization: `ApiKey ${role}` };
    expect([role, (await fetch(`${url}/queues/api/queues`, { headers })).status]).toEqual([role, 200]);
    for (const [method, path] of changes) {
      const { status } = await fetch(`${url}/queues${path}`, { method, headers });
      expect([role, method, path, status]).toEqual([role, method, path, role === 'admin' ? 405 : 403]);
    }
  }
});

test('without credentials it shows as well, in pages of a size that has a bound, and nothing of the server', async () => {
  const url = await start();
  const board = `${url}/queues/api`;
  expect((await fetch(`${board}/queues?jobsPerPage=50`)).status).toBe(200);
  for (const jobsPerPage of ['201', 'many', '1e9']) {
    expect((await fetch(`${board}/queues?jobsPerPage=${jobsPerPage}`)).status).toBe(400);
  }
  const stats = await fetch(`${board}/redis/stats`);
  expect([stats.status, await stats.text()]).toEqual([403, expect.not.stringContaining('version')]);
  const refused = await fetch(`${board}/queues/resume`, { method: 'PUT' });
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test('a credential that is limited to some indices does not see the board', async () => {
  const credentials = {
    api_keys: [keyEntry('reader', ['read']), keyEntry('orders', ['operate'], ['orders-*'])],
  };
  const authenticate = createAuthenticator(readCredentials(JSON.stringify(credentials)));
  const url = await start({ authenticate });
  const ask = (key: string) => fetch(`${url}/queues`, { headers: { authorization: `ApiKey ${key}` } });
  expect((await ask('reader')).status).toBe(200);
  const refused = await ask('orders');
  expect([refused.status, await refused.text()]).toEqual([
    403,
    expect.stringContaining('[orders] is limited to some indices'),
  ]);
});

test('what a page loads from elsewhere is taken out of it, its own files stay', () => {
  const own = '<link href="static/css/main.css" rel="stylesheet">';
  const other = '<link rel="stylesheet" href="https://fonts.example/css">';
  const schemeless = '<link href="//fonts.example/css">';
  expect(withoutOtherHosts(`${other}\n${own}${schemeless}`)).toBe(`\n${own}`);
});
