import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandRedis, type Stack, startStack } from '@aosc/local-stack';
import { callRaw, createHttpClient, createSourceIndex, deleteIndices, type HttpClient } from '@aosc/testkit';

jest.setTimeout(600_000);

const entry = join(__dirname, '../dist/main.js');
const password = 's3cret';

let stack: Stack;
let http: HttpClient;
beforeAll(async () => {
  stack = await startStack();
  http = createHttpClient(stack.openSearchUrls);
  const user = ['ACL', 'SETUSER', 'ann', 'on', `>${password}`, ...documentedRights()];
  expect(await commandRedis(stack.redisUrl, user)).toBe('+OK\r\n');
});
afterAll(async () => {
  http.close();
  await stack.stop();
});

/** What the documentation gives a user of Redis: the service's rights, and the pattern of the demo's keys. */
function documentedRights(): readonly string[] {
  const page = readFileSync(join(__dirname, '../../../docs/operations/redis.md'), 'utf8');
  const command = /redis-cli ACL SETUSER aosc on '>password' ([^`]*)```/.exec(page)?.[1];
  const demoKeys = /'(~aosc-demo-[^']*)'/.exec(page)?.[1];
  if (command === undefined || demoKeys === undefined) throw new Error('the page lacks the rights in Redis');
  const rights = command.replaceAll(/[\\']/g, '').split(/\s+/).filter(Boolean);
  return [...rights, demoKeys];
}

const withUser = (url = '') => url.replace('://', `://ann:${password}@`);

/** The built demo, on servers that another user uses. */
function runDemo(...flags: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  const args = [
    ...[entry, '--docs', '500', '--shards', '1:2', '--rate', '50'],
    ...['--opensearch', withUser(stack.openSearchUrls[0]), '--redis', withUser(stack.redisUrl)],
    ...flags,
  ];
  const env = { ...process.env, NODE_ENV: undefined, JEST_WORKER_ID: undefined };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { env }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
    );
  });
}

async function listIndices(): Promise<readonly string[]> {
  const path = '/_cat/indices?h=index,uuid&expand_wildcards=all&s=index';
  return (await callRaw(http, { method: 'GET', path })).toString().trim().split('\n').filter(Boolean);
}

const readKeys = () => commandRedis(stack.redisUrl, ['KEYS', '*']);

test('the demo runs on them, and leaves them as they were', async () => {
  await createSourceIndex(http, { name: 'theirs', shards: 1, alias: 'their-alias' });
  await commandRedis(stack.redisUrl, ['SET', 'aosc:installation', 'theirs']);
  const before = { indices: await listIndices(), keys: await readKeys() };
  const { code, output } = await runDemo();
  expect(output).toMatch(/mismatches +0$/m);
  expect(code).toBe(0);
  expect(output).not.toContain(password);
  expect(output).toContain(`OpenSearch at ${stack.openSearchUrls[0] ?? ''}: version 3.`);
  expect({ indices: await listIndices(), keys: await readKeys() }).toEqual(before);
});

test.each([
  { what: 'the source', name: 'cities-v1', alias: 'a', told: 'has an index or alias cities-v1,' },
  { what: 'the target', name: 'cities-v2', alias: 'a', told: 'has an index or alias cities-v2,' },
  { what: 'the alias', name: 'other', alias: 'cities', told: 'has an index or alias cities,' },
  {
    what: 'the service',
    name: '.aosc-migrations',
    alias: 'a',
    told: 'has the records of an installation of AOSC',
  },
])('an index with the name of $what makes it refuse, and touch nothing', async ({ name, alias, told }) => {
  await createSourceIndex(http, { name, shards: 1, alias });
  const before = { indices: await listIndices(), keys: await readKeys() };
  const { code, output } = await runDemo();
  expect(code).toBe(1);
  expect(output).toContain(told);
  expect(output).not.toContain(password);
  expect({ indices: await listIndices(), keys: await readKeys() }).toEqual(before);
  await deleteIndices(http, [name]);
});

test('a Redis that may lose jobs is refused with the reason', async () => {
  const setPolicy = (policy: string) =>
    commandRedis(stack.redisUrl, ['CONFIG', 'SET', 'maxmemory-policy', policy]);
  await setPolicy('allkeys-lru');
  const { code, output } = await runDemo();
  await setPolicy('noeviction');
  expect(code).toBe(1);
  expect(output).toContain('maxmemory-policy');
  expect(output).not.toContain(password);
});
