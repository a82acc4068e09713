import { readFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { RedisSilentError, whileRedisAnswers } from './while-redis-answers';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** A connection whose bytes are counted by hand. */
function createConnection() {
  const bytes = { read: 0 };
  const stream = new Socket();
  Object.defineProperty(stream, 'bytesRead', { get: () => bytes.read });
  return { stream, bytes };
}

const never = () => new Promise<never>(() => undefined);

test('an answer in time is handed on, and so is an error', async () => {
  const connection = createConnection();
  await expect(whileRedisAnswers(connection, Promise.resolve('PONG'))).resolves.toBe('PONG');
  const refused = new Error('WRONGTYPE');
  await expect(whileRedisAnswers(connection, Promise.reject(refused))).rejects.toBe(refused);
});

test('no answer at all', async () => {
  const waiting = expect(whileRedisAnswers(createConnection(), never())).rejects.toThrow(
    new RedisSilentError('Redis has not answered for 5000 ms'),
  );
  await jest.advanceTimersByTimeAsync(5000);
  await waiting;
});

test('work of many commands goes on while Redis answers them, and has an end', async () => {
  const connection = createConnection();
  let ended: unknown;
  const waiting = whileRedisAnswers(connection, never()).catch((error: unknown) => (ended = error));
  for (let seconds = 0; seconds < 29; seconds += 1) {
    connection.bytes.read += 10;
    await jest.advanceTimersByTimeAsync(1000);
  }
  expect(ended).toBeUndefined();
  await jest.advanceTimersByTimeAsync(1000);
  await waiting;
  expect(ended).toEqual(new RedisSilentError('Redis has not brought an end within 30000 ms'));
});

test('what a connection had read before is no answer, and neither is a new connection', async () => {
  const connection = createConnection();
  connection.bytes.read = 5000;
  const waiting = expect(whileRedisAnswers(connection, never())).rejects.toBeInstanceOf(RedisSilentError);
  await jest.advanceTimersByTimeAsync(4900);
  connection.stream = createConnection().stream;
  await jest.advanceTimersByTimeAsync(100);
  await waiting;
});

test('a process that stood still for longer than the limit still reads what has come', async () => {
  jest.useRealTimers();
  // From here on Node looks at timers first, and at what has come in afterwards.
  await new Promise((resolve) => setImmediate(resolve));
  const answer = readFile(__filename, 'utf8');
  const waiting = whileRedisAnswers(createConnection(), answer);
  const until = performance.now() + 5500;
  while (performance.now() < until);
  await expect(waiting).resolves.toContain('stood still');
});

test('a command that ioredis has given up', async () => {
  await expect(
    whileRedisAnswers(createConnection(), Promise.reject(new Error('Command timed out'))),
  ).rejects.toBeInstanceOf(RedisSilentError);
});
