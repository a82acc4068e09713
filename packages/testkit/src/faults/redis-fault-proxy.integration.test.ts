import { type Stack, startStack } from '@aosc/local-stack';
import { Redis } from 'ioredis';
import { createHold, dropped, unanswered } from './fault';
import {
  outOfMemory,
  readOnlyReplica,
  type RedisFaultProxy,
  startRedisFaultProxy,
} from './redis-fault-proxy';

let stack: Stack;
let direct: Redis;
let proxy: RedisFaultProxy;
let redis: Redis;

beforeAll(async () => {
  stack = await startStack({ nodes: 0 });
  direct = new Redis(stack.redisUrl);
});
beforeEach(async () => {
  await direct.flushall();
  proxy = await startRedisFaultProxy(stack.redisUrl);
  redis = connectTo(proxy);
});
afterEach(async () => {
  redis.disconnect();
  await proxy.stop();
});
afterAll(async () => {
  direct.disconnect();
  await stack.stop();
});

function connectTo({ url }: RedisFaultProxy): Redis {
  const client = new Redis(url, { maxRetriesPerRequest: 0, retryStrategy: () => null });
  client.on('error', () => undefined);
  return client;
}

test('passes commands and replies on: bytes, pipelines, scripts, transactions', async () => {
  const bytes = Buffer.from([0, 13, 10, 255, 42]);
  await redis.set('bytes', bytes);
  expect(await redis.getBuffer('bytes')).toEqual(bytes);
  const pipelined = redis.pipeline();
  for (let at = 0; at < 500; at += 1) pipelined.rpush('list', 'x'.repeat(at));
  expect((await pipelined.exec())?.at(-1)).toEqual([null, 500]);
  expect(await redis.lrange('list', 0, -1)).toHaveLength(500);
  expect(await redis.eval("return {1, {'a', false}, redis.status_reply('s')}", 0)).toEqual([
    1,
    ['a', null],
    's',
  ]);
  await expect(redis.eval('return {', 0)).rejects.toThrow('ERR');
  expect(await redis.multi().set('a', 1).incr('a').exec()).toEqual([
    [null, 'OK'],
    [null, 2],
  ]);
});

test('recognises a transaction by its EXEC, with what is in it', async () => {
  const seen: string[] = [];
  proxy.watch(({ call }) => seen.push(`${call.name}(${call.transaction.map(({ name }) => name).join()})`));
  await redis.multi().set('a', 1).del('b').exec();
  expect(seen.slice(-4)).toEqual(['MULTI()', 'SET()', 'DEL()', 'EXEC(SET,DEL)']);
});

test('a dropped command is never carried out, an unanswered one is', async () => {
  proxy.addRule(({ name }) => (name === 'SET' ? dropped : name === 'INCR' ? unanswered : undefined));
  await expect(redis.set('a', 1)).rejects.toThrow();
  expect(await direct.get('a')).toBeNull();
  const again = connectTo(proxy);
  await expect(again.incr('b')).rejects.toThrow();
  expect(await direct.get('b')).toBe('1');
  again.disconnect();
});

test('a held command is carried out late, although who sent it has gone; what was behind it is not', async () => {
  const hold = createHold<'forward' | 'drop'>();
  proxy.addRule(({ name }) => (name === 'SET' ? { before: hold.wait } : undefined));
  const sent = [redis.set('held', 1), redis.incr('behind')];
  const ended = Promise.allSettled(sent);
  await hold.reached;
  redis.disconnect();
  expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await direct.get('held')).toBeNull();
  const done = new Promise<void>((resolve) => proxy.watch(() => resolve()));
  hold.release('forward');
  await done;
  expect(await direct.mget('held', 'behind')).toEqual(['1', null]);
});

test('a held reply holds up only replies of its own connection', async () => {
  const hold = createHold<'deliver' | 'cut'>();
  proxy.addRule(({ name }) => (name === 'INCR' ? { after: hold.wait } : undefined));
  const counted = redis.incr('a');
  await hold.reached;
  const other = connectTo(proxy);
  expect(await other.get('a')).toBe('1');
  other.disconnect();
  hold.release('deliver');
  expect(await counted).toBe(1);
});

test('answers itself, in the order of the commands', async () => {
  proxy.addRule(({ name }) => (name === 'SET' ? readOnlyReplica : name === 'INCR' ? outOfMemory : undefined));
  const results = await redis.pipeline().get('a').set('a', 1).ping().incr('a').get('a').exec();
  expect(results?.map(([error, value]) => error?.message.split(' ')[0] ?? value)).toEqual([
    null,
    'READONLY',
    'PONG',
    'OOM',
    null,
  ]);
});

test('cuts a reply in its middle', async () => {
  await direct.set('text', 'x'.repeat(1000));
  proxy.addRule(({ name }) => (name === 'GET' ? { cutAnswerAfterBytes: 100 } : undefined));
  await expect(redis.get('text')).rejects.toThrow();
});

test('refuses connections for a while, at the same address', async () => {
  expect(await redis.ping()).toBe('PONG');
  await proxy.refuseConnections();
  const refused = connectTo(proxy);
  await expect(refused.ping()).rejects.toThrow();
  refused.disconnect();
  await proxy.acceptConnections();
  const accepted = connectTo(proxy);
  expect(await accepted.ping()).toBe('PONG');
  accepted.disconnect();
});
