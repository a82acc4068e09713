import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Stack, startStack } from '@aosc/local-stack';
import { useEverything } from './__tests__/every-use';
import { type Connection, createConnection } from './connection';
import { examineRedis } from './examine-redis';

jest.setTimeout(120_000);

const root = join(__dirname, '../../..');
const certificate = (name: string) => readFileSync(join(root, 'tests/certificates', name), 'utf8');
const cert = certificate('localhost.pem');
const key = certificate('localhost-key.pem');
const redisTls = { ca: cert, cert, key };

/** The rule for the user as the documentation has it. */
const rules = readRules(readFileSync(join(root, 'docs/operations/redis.md'), 'utf8'));

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

const accessOf = (user: string) => ({ redisUrl: stack.redisUrl.replace('://', `://${user}@`), redisTls });

test('a user with the rights that the documentation lists can do all that the service does, over TLS', async () => {
  const errors: Error[] = [];
  await useEverything(accessOf('aosc:password'), 'aosc', (error) => errors.push(error));
  expect(errors).toEqual([]);
  // What a client tells about itself is optional, and Redis 7.0 has no right for it.
  const refused = (await readRefused()).filter((what) => !what.startsWith('client'));
  expect(refused).toEqual([]);
});

test('it is not too much: each right is for a command that the service or a script of BullMQ sends', () => {
  const known = new Set([...sentByClients, ...readCommands()]);
  const granted = rules.filter((rule) => rule.startsWith('+')).map((rule) => rule.slice(1));
  expect(granted.length).toBeGreaterThan(40);
  expect(granted.filter((command) => !known.has(command))).toEqual([]);
});

test('keys of others, other commands and channels are out of reach', async () => {
  const user = createConnection(accessOf('aosc:password'), 'patient', () => undefined);
  try {
    for (const [name, ...rest] of [
      ['GET', 'another'],
      ['FLUSHALL'],
      ['CONFIG', 'GET', 'save'],
      ['KEYS', '*'],
      ['PUBLISH', 'aosc', 'x'],
      ['EVAL', "return redis.call('GET', KEYS[1])", '1', 'another'],
    ] as const)
      await expect(user.call(name, ...rest)).rejects.toThrow(/NOPERM|no permission|can't (access|run)/i);
  } finally {
    user.disconnect();
  }
});

test('the doctor can look at it, and a wrong password says whose it is', async () => {
  const clock = { now: () => Date.now(), monotonic: () => performance.now() };
  const facts = await examineRedis({ ...accessOf('aosc:password'), prefix: 'aosc' }, clock);
  expect(facts).toMatchObject({ isReplica: false, isUnknownCluster: false, saves: undefined });
  await expect(examineRedis({ ...accessOf('aosc:wrong'), prefix: 'aosc' }, clock)).rejects.toThrow(
    /refuses the user or password of AOSC_REDIS_URL/,
  );
});

function readRules(page: string): readonly [string, ...string[]] {
  const text = /redis-cli ACL SETUSER ([^`]*)```/.exec(page)?.[1] ?? '';
  const [name = '', ...others] = text
    .replaceAll(/[\\']/g, '')
    .split(/\s+/)
    .filter((word) => word !== '');
  return [name, ...others];
}

/** Objects of Redis's log of refusals, those inside scripts included. */
async function readRefused(): Promise<readonly string[]> {
  const log = String(await admin.call('ACL', 'LOG', '128')).split(',');
  return log.flatMap((word, at) => (log[at - 1] === 'object' ? [word] : []));
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
