import { ClusterError } from './cluster-error';
import { repeatTransient } from './repeat-transient';

function createClock() {
  let now = 0;
  return {
    monotonic: () => now,
    random: () => 0.5,
    async sleep(ms: number, signal: AbortSignal) {
      signal.throwIfAborted();
      now += ms;
      await Promise.resolve();
    },
  };
}

const never = new AbortController().signal;
const moving = new ClusterError('transient', 'no shard available');

/** Fails so many times. */
function failing(times: number, error: Error = moving) {
  let tries = 0;
  return {
    tries: () => tries,
    attempt: () => (++tries > times ? Promise.resolve('read') : Promise.reject(error)),
  };
}

test('what fails for a moment is asked again', async () => {
  const { attempt, tries } = failing(3);
  await expect(repeatTransient(attempt, createClock(), never)).resolves.toBe('read');
  expect(tries()).toBe(4);
});

test('for about a second', async () => {
  const clock = createClock();
  await expect(repeatTransient(failing(Infinity).attempt, clock, never)).rejects.toBe(moving);
  expect(clock.monotonic()).toBeGreaterThan(500);
  expect(clock.monotonic()).toBeLessThanOrEqual(1000);
});

test('a first answer that took its time is the last one', async () => {
  const clock = createClock();
  const { attempt, tries } = failing(1);
  const slow = async () => {
    await clock.sleep(60_000, never);
    return attempt();
  };
  await expect(repeatTransient(slow, clock, never)).rejects.toBe(moving);
  expect(tries()).toBe(1);
});

test.each([
  ['nobody listens', new ClusterError('transient', 'ECONNREFUSED', { awaits: 'cluster' })],
  ['the request is wrong', new ClusterError('invalid', 'no such field')],
  ['it is overloaded', new ClusterError('overload', 'rejected')],
  ['the service is wrong', new Error('a bug')],
])('not when %s', async (_, error) => {
  const { attempt, tries } = failing(1, error);
  await expect(repeatTransient(attempt, createClock(), never)).rejects.toBe(error);
  expect(tries()).toBe(1);
});

test('nor when the caller has gone', async () => {
  const caller = new AbortController();
  const attempt = () => {
    caller.abort(new Error('gone'));
    return Promise.reject(moving);
  };
  await expect(repeatTransient(attempt, createClock(), caller.signal)).rejects.toBe(moving);
});
