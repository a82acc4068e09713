import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sendChecked } from '@aosc/testkit';
import { createDependencies } from '../__tests__/create-dependencies';
import { createMigration } from '../__tests__/create-migration';
import { createApp } from '../app';
import { keyEntry } from '../auth/__tests__/credentials';
import { createAuthenticator } from '../auth/authenticator';
import { readCredentials } from '../auth/read-credentials';

const credentials = readCredentials(
  JSON.stringify({
    api_keys: [
      keyEntry('looker', ['read']),
      keyEntry('limited', ['operate'], ['*']),
      keyEntry('coder', ['operate', 'transform'], ['*']),
      keyEntry('operator', ['operate']),
      { ...keyEntry('seller', ['read'], ['*']), alias_patterns: ['ads'] },
    ],
  }),
);
const transformScript = { type: 'inline', source: 'ctx.a = params.b', params: { b: 'secret' } } as const;
const stored = {
  record: createMigration({
    phase: 'COMPLETED',
    transformScript,
    aliasesLeftBehind: ['ads', 'hidden-1', 'hidden-2'],
  }),
  seqNo: 1,
  primaryTerm: 1,
};
const app = createApp({
  ...createDependencies({
    findMigrationBySource: () => Promise.resolve(stored),
    pollShards: () => Promise.resolve([]),
    readTimeline: () => Promise.resolve(undefined),
  }),
  authenticate: createAuthenticator(credentials),
});
const server = createServer(app);
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

function ask(key: string, headers: Record<string, string> = {}) {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const path = `/_plugins/_aosc/${stored.record.sourceIndex}/_status`;
  return sendChecked(url, path, { headers: { authorization: `ApiKey ${key}`, ...headers } });
}

test.each([
  ['looker', false],
  ['limited', false],
  ['coder', true],
  ['operator', true],
])('a script and its parameters are shown to a %s: %s', async (key, isShown) => {
  const { status, body } = await ask(key);
  expect(status).toBe(200);
  const text = JSON.stringify(body);
  expect([text.includes('"inline"'), text.includes('ctx.a'), text.includes('secret')]).toEqual([
    true,
    isShown,
    isShown,
  ]);
});

test('a status is kept by its browser alone, and its tag is not good for those who see less', async () => {
  const { headers } = await ask('operator');
  expect(headers.get('cache-control')).toBe('private, no-cache');
  expect(headers.get('vary')).toBe('authorization, cookie');
  const tag = { 'if-none-match': headers.get('etag') ?? '' };
  expect([(await ask('operator', tag)).status, (await ask('looker', tag)).status]).toEqual([304, 200]);
});

test.each([
  ['operator', ['ads', 'hidden-1', 'hidden-2']],
  ['seller', ['ads', '(another alias)']],
] as const)('a %s is shown these aliases left behind: %j', async (key, shown) => {
  expect((await ask(key)).body).toMatchObject({ aliases_left_behind: shown });
});
