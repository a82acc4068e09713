import { basic, keyEntry, passwordHash } from './__tests__/credentials';
import { createAuthenticator } from './authenticator';
import { readCredentials } from './read-credentials';
import { type ScryptHash, verifyPassword } from './secret-hash';

const credentials = readCredentials(
  JSON.stringify({
    users: [{ name: 'ann', password_hash: passwordHash('s3cret:pass'), roles: ['operate'] }],
    api_keys: [keyEntry('key-of-bot', ['read'], ['orders-*']), keyEntry('key-of-root', ['admin'])],
  }),
);

/** Counts the checks; each can be held up. */
function createCounting() {
  const checks: { password: string; hash: ScryptHash }[] = [];
  const authenticate = createAuthenticator(credentials, (password, hash) => {
    checks.push({ password, hash });
    return verifyPassword(password, hash);
  });
  return { authenticate, checks };
}

test('a right password, colons included, is known; it is checked once', async () => {
  const { authenticate, checks } = createCounting();
  const known = { type: 'known', principal: { name: 'ann', kind: 'user', roles: ['operate'] } };
  for (let times = 0; times < 3; times += 1) {
    expect(await authenticate(basic('ann', 's3cret:pass'))).toMatchObject(known);
  }
  expect(checks).toHaveLength(1);
});

test('a wrong password is checked each time', async () => {
  const { authenticate, checks } = createCounting();
  expect(await authenticate(basic('ann', 'wrong'))).toEqual({ type: 'refused', name: 'ann' });
  expect(await authenticate(basic('ann', 'wrong'))).toEqual({ type: 'refused', name: 'ann' });
  expect(checks).toHaveLength(2);
});

test('a user that does not exist costs as dear a check, and its name is not given back', async () => {
  const { authenticate, checks } = createCounting();
  expect(await authenticate(basic('bob', 's3cret:pass'))).toEqual({ type: 'refused' });
  expect(checks).toHaveLength(1);
  expect(checks[0]?.hash).toMatchObject({ cost: 2 ** 14, blockSize: 8, parallelization: 1 });
});

test('the same header many times at once is one check; too many others are told to come back', async () => {
  const ends: (() => void)[] = [];
  const authenticate = createAuthenticator(
    credentials,
    () => new Promise((resolve) => ends.push(() => resolve(true))),
  );
  const same = Array.from({ length: 200 }, () => authenticate(basic('ann', 'x')));
  const others = Array.from({ length: 200 }, (_, number) => authenticate(basic('ann', `${number}`)));
  const turned = (await Promise.all(others.slice(100))).filter(({ type }) => type === 'busy');
  expect(turned).toHaveLength(100);
  expect(ends).toHaveLength(2);
  const all = Promise.all([...same, ...others]);
  let done = false;
  void all.then(() => (done = true));
  while (!done) {
    for (const end of ends.splice(0)) end();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect((await Promise.all(same)).every(({ type }) => type === 'known')).toBe(true);
});

test('API keys', async () => {
  const { authenticate, checks } = createCounting();
  expect(await authenticate('ApiKey key-of-root')).toMatchObject({ principal: { roles: ['admin'] } });
  expect(await authenticate('apikey key-of-bot')).toMatchObject({
    principal: { name: 'key-of-bot', kind: 'api_key', indexPatterns: ['orders-*'] },
  });
  expect(await authenticate('ApiKey key-of-bo')).toEqual({ type: 'refused' });
  expect(checks).toHaveLength(0);
});

test.each(['', 'Basic', 'Basic !!!', 'Bearer key-of-root', 'ApiKey a b', `ApiKey ${'k'.repeat(5000)}`])(
  '%j is refused without a check',
  async (header) => {
    const { authenticate, checks } = createCounting();
    expect(await authenticate(header)).toEqual({ type: 'refused' });
    expect(checks).toHaveLength(0);
  },
);
