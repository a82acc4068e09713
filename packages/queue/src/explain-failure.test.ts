import { explainFailure } from './explain-failure';

test.each([
  ['ERR This instance has cluster support disabled', 'AOSC_REDIS_CLUSTER=no'],
  ['WRONGPASS invalid username-password pair or user is disabled.', 'refuses the user or password'],
  ["NOPERM User aosc has no permissions to run the 'zadd' command", 'docs/operations/redis.md'],
  ["CROSSSLOT Keys in request don't hash to the same slot", 'AOSC_REDIS_CLUSTER=yes'],
  ['MOVED 866 127.0.0.1:7001', 'AOSC_REDIS_CLUSTER=yes'],
])('%s: what to do', (message, advice) => {
  const told = explainFailure(new Error(message));
  expect(told.message).toContain(advice);
  expect(told.message).toContain(message);
});

test('a cluster without a reachable node says why', () => {
  const lastNodeError = new Error('ERR This instance has cluster support disabled');
  const error = Object.assign(new Error('Failed to refresh slots cache.'), { lastNodeError });
  expect(explainFailure(error).message).toContain('AOSC_REDIS_CLUSTER=no');
  const away = Object.assign(new Error('Failed to refresh slots cache.'), {
    lastNodeError: new Error('connect ECONNREFUSED 127.0.0.1:1'),
  });
  expect(explainFailure(away).message).toBe(
    'Redis does not answer (connect ECONNREFUSED 127.0.0.1:1): check that it runs, and AOSC_REDIS_URL',
  );
});

test('a Redis that is away is no matter of options', () => {
  const error = new Error("Stream isn't writeable and enableOfflineQueue options is false");
  expect(explainFailure(error).message).toBe('Redis does not answer: check that it runs, and AOSC_REDIS_URL');
});

test('what is explained is not explained once more', () => {
  const told = explainFailure(new Error('connect ECONNREFUSED 127.0.0.1:6379'));
  expect(explainFailure(told)).toBe(told);
});

test('any other error stays what it is', () => {
  const error = new Error('ERR unknown command');
  expect(explainFailure(error)).toBe(error);
});
