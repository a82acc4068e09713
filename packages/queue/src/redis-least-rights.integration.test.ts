import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  commandRedis,
  type RedisGroup,
  type Stack,
  startRedisCluster,
  startSentinels,
  startStack,
} from '@aosc/local-stack';
import { useEverything } from './__tests__/every-use';
import { type Connection, createConnection } from './connection';
import { examineRedis } from './examine-redis';

jest.setTimeout(300_000);

const root = join(__dirname, '../../..');
const certificate = (name: string) => readFileSync(join(root, 'tests/certificates', name), 'utf8');
const cert = certificate('localhost.pem');
const key = certificate('localhost-key.pem');
const redisTls = { ca: cert, cert, key };

const page = readFileSync(join(root, 'docs/operations/redis.md'), 'utf8');
/** The rule for the user as the documentation has it. */
const [user = '', ...others] = documented(/redis-cli ACL SETUSER ([^`]*)```/);
const rules = [user, ...others] as const;

let stack: Stack;
let admin: Connection;
beforeAll(async () => {
  stack = await startStack({ nodes: 0, redisTls });
  admin = createConnection({ redisUrl: stack.redisUrl, redisTls }, 'patient', () => undefined);
  await admin.call('ACL', 'SETUSER', ...rules);
});
afterAll(async () => {
  admin.disconnect();
  await stack.stop();
});

const withUser = (url: string, password = 'password') => url.replace('://', `://aosc:${password}@`);
const accessOf = (password?: string) => ({ redisUrl: withUser(stack.redisUrl, password), redisTls });

test('a user with the rights that the documentation lists can do all that the service does, over TLS', async () => {
  const errors: Error[] = [];
  await useEverything(accessOf(), 'aosc', (error) => errors.push(error));
  expect(errors).toEqual([]);
  expect(objectsOf(String(await admin.call('ACL', 'LOG', '128')))).toEqual([]);
});

test('it is not too much: each right is for a command that the service or a script of BullMQ sends', () => {
  const known = new Set([...sentByClients, ...readCommands()]);
  const granted = rules.filter((rule) => rule.startsWith('+')).map((rule) => rule.slice(1));
  expect(granted.length).toBeGreaterThan(40);
  expect(granted.filter((command) => !known.has(command))).toEqual([]);
});

test('keys of others, other commands and channels are out of reach', async () => {
  const stranger = createConnection(accessOf(), 'patient', () => undefined);
  try {
    for (const [name, ...rest] of [
      ['GET', 'another'],
      ['FLUSHALL'],
      ['CONFIG', 'GET', 'save'],
      ['KEYS', '*'],
      ['PUBLISH', 'aosc', 'x'],
      ['EVAL', "return redis.call('GET', KEYS[1])", '1', 'another'],
    ] as const)
      await expect(stranger.call(name, ...rest)).rejects.toThrow(/NOPERM|no permission|can't (access|run)/i);
  } finally {
    stranger.disconnect();
  }
});

test('on a Redis Cluster, the same rights and those of a cluster are enough', async () => {
  const cluster = await startRedisCluster();
  try {
    const further = documented(/user needs\s+`([^`]*cluster[^`]*)` as well/);
    const own = rules.map((rule) => (rule === '~aosc:*' ? '~{aosc}:*' : rule));
    for (const { url } of cluster.servers) await setUser(url, [...own, ...further]);
    const nodes = cluster.servers.map(({ url }) => withUser(url));
    const errors: Error[] = [];
    const access = { redisUrl: nodes[0] ?? '', redisCluster: nodes };
    await useEverything(access, 'aosc', (error) => errors.push(error));
    expect(errors).toEqual([]);
    await expectNothingRefused(cluster);
  } finally {
    await cluster.stop();
  }
});

test('sentinels need no more than what the documentation lists', async () => {
  const group = await startSentinels();
  try {
    const { redisUrl, redisSentinels = [] } = group.access;
    const rights = documented(/sentinel's user needs\s+`([^`]*)`/);
    for (const { url } of group.servers)
      await setUser(
        url,
        redisSentinels.includes(url)
          ? ['aosc', 'on', '>password', 'resetchannels', '-@all', ...rights]
          : rules,
      );
    const access = {
      redisUrl: withUser(redisUrl),
      redisSentinels: redisSentinels.map((url) => withUser(url)),
    };
    const errors: Error[] = [];
    await useEverything(access, 'aosc', (error) => errors.push(error));
    expect(errors).toEqual([]);
    await expectNothingRefused(group);
  } finally {
    await group.stop();
  }
});

test('the doctor can look at it, and a wrong password says whose it is', async () => {
  const clock = { now: () => Date.now(), monotonic: () => performance.now() };
  const facts = await examineRedis({ ...accessOf(), prefix: 'aosc', clusterUuid: 'c' }, clock);
  const running = { workers: 0, schedulers: 0 };
  expect(facts).toMatchObject({ isReplica: false, isUnknownCluster: false, saves: undefined, running });
  await expect(examineRedis({ ...accessOf('wrong'), prefix: 'aosc' }, clock)).rejects.toThrow(
    /refuses the user or password of AOSC_REDIS_URL/,
  );
});

function documented(pattern: RegExp): readonly string[] {
  const text = pattern.exec(page)?.[1];
  if (text === undefined) throw new Error(`the page has nothing like ${pattern.source}`);
  return text
    .replaceAll(/[\\']/g, '')
    .split(/\s+/)
    .filter((word) => word !== '');
}

async function setUser(url: string, words: readonly string[]): Promise<void> {
  expect(await commandRedis(url, ['ACL', 'SETUSER', ...words])).toBe('+OK\r\n');
}

async function expectNothingRefused({ servers }: RedisGroup): Promise<void> {
  for (const { url } of servers)
    expect(objectsOf(await commandRedis(url, ['ACL', 'LOG', '128']))).toEqual([]);
}

/**
 * What Redis's log of refusals names, those inside scripts included. What a client tells about itself is optional, and
 * Redis 7.0 has no right for it.
 */
function objectsOf(log: string): readonly string[] {
  const words = log.split(/,|\r\n(?:\$\d+\r\n)?/);
  const objects = words.flatMap((word, at) => (words[at - 1] === 'object' ? [word] : []));
  return objects.filter((what) => !what.startsWith('client'));
}

/** Commands that no script holds: of the connection, and of our own code. */
const sentByClients = [
  ...['client|setname', 'select', 'evalsha', 'eval', 'multi', 'exec', 'bzpopmin'],
  ...['info', 'ping', 'time', 'scan', 'mget'],
];

/** Commands in BullMQ's scripts. */
function readCommands(): readonly string[] {
  const folder = join(dirname(require.resolve('bullmq')), 'scripts');
  const texts = readdirSync(folder)
    .filter((name) => name.endsWith('.js'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
  return [...texts.join('\n').matchAll(/call\(\s*['"](\w+)['"]/g)].map(([, command = '']) =>
    command.toLowerCase(),
  );
}
