import { RedisSilentError, within } from './within';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('an answer in time is handed on, and so is an error', async () => {
  await expect(within(Promise.resolve('PONG'))).resolves.toBe('PONG');
  const refused = new Error('WRONGTYPE');
  await expect(within(Promise.reject(refused))).rejects.toBe(refused);
});

test('no answer at all', async () => {
  const waiting = expect(within(new Promise(() => undefined))).rejects.toBeInstanceOf(RedisSilentError);
  await jest.advanceTimersByTimeAsync(5000);
  await waiting;
});

test('a command that ioredis has given up', async () => {
  await expect(within(Promise.reject(new Error('Command timed out')))).rejects.toBeInstanceOf(
    RedisSilentError,
  );
});
