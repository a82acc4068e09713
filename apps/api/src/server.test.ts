import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request as secureRequest } from 'node:https';
import { ConfigError } from '@aosc/config';
import { certificate as cert, certificateKey, useServers } from './__tests__/server-under-test';
import { keyEntry } from './auth/__tests__/credentials';

const { start, write, inFolder, key } = useServers();
let credentials: string;
beforeAll(() => {
  credentials = write(
    'auth.json',
    JSON.stringify({
      api_keys: [keyEntry('reader', ['read']), keyEntry('orders', ['operate'], ['orders-*'])],
    }),
  );
});

test('without a credentials file everything is open to the loopback address, and to no other name', async () => {
  const { url, server } = await start({});
  expect((await fetch(`${url}/metrics`)).status).toBe(200);
  expect((await fetch(`${url}/nothing`)).status).toBe(404);
  expect(server.host).toBe('127.0.0.1');
  const ready = (await (await fetch(`${url}/readyz`)).json()) as object;
  expect(ready).toMatchObject({
    ok: false,
    checks: [{ name: 'opensearch', reason: expect.anything() as unknown }, {}, {}, {}],
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
        { name: 'records', ok: false },
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

test.each([
  [
    'an audit log in no folder',
    () => ({ AOSC_AUDIT_LOG: inFolder('none/audit') }),
    /AOSC_AUDIT_LOG.*can't be written/,
  ],
  [
    'a credentials file that is not there',
    () => ({ AOSC_AUTH_FILE: inFolder('none') }),
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
  [
    'a key that every user of the machine can read',
    () => ({ AOSC_API_TLS_CERT: cert, AOSC_API_TLS_KEY: certificateKey }),
    /AOSC_API_TLS_KEY: every user of this machine can read .* chmod o-rwx/,
  ],
  ['an authority that is none', () => ({ AOSC_OPENSEARCH_CA: credentials }), /AOSC_OPENSEARCH_CA.*not PEM/],
])('%s ends the start with one line', async (_what, env, line) => {
  const failure: unknown = await start(env()).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ConfigError);
  if (failure instanceof ConfigError) expect(failure.problems).toEqual([expect.stringMatching(line)]);
});
