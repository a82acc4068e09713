import { setImmediate as nextTurn } from 'node:timers/promises';
import { basic, keyEntry, passwordHash } from './__tests__/credentials';
import { type Authenticator, createAuthenticator, createPasswordGate } from './authenticator';
import { readCredentials } from './read-credentials';
import { type ScryptHash, verifyPassword } from './secret-hash';

const credentials = readCredentials(
  JSON.stringify({
    users: [{ name: 'ann', password_hash: passwordHash('s3cret:pass'), roles: ['operate'] }],
    api_keys: [keyEntry('key-of-bot', ['read'], ['orders-*']), keyEntry('key-of-root', ['admin'])],
  }),
);

const here = '127.0.0.1';

/** What became of a header: `refused` with the user whose password it was not, if any. */
async function decide(authenticate: Authenticator, header: string, address: string) {
  const claim = authenticate(header, address);
  if (claim.type === 'known') return claim;
  try {
    const principal = await claim.check();
    if (principal !== undefined) return { type: 'known', principal };
    return { type: 'refused', ...(claim.user !== undefined && { name: claim.user.name }) };
  } catch (error) {
    expect(error).toMatchObject({ code: 'rate_limited' });
    return { type: 'busy' };
  }
}

/** Counts the checks; each can be held up. */
function createCounting() {
  const checks: { password: string; hash: ScryptHash }[] = [];
  const known = createAuthenticator(credentials, undefined, (password, hash) => {
    checks.push({ password, hash });
    return verifyPassword(password, hash);
  });
  return { authenticate: (header: string, address: string) => decide(known, header, address), checks };
}

test('a right password, colons included, is known; it is checked once', async () => {
  const { authenticate, checks } = createCounting();
  const known = { type: 'known', principal: { name: 'ann', kind: 'user', roles: ['operate'] } };
  for (let times = 0; times < 3; times += 1) {
    expect(await authenticate(basic('ann', 's3cret:pass'), here)).toMatchObject(known);
  }
  expect(checks).toHaveLength(1);
});

test('a wrong password is checked each time', async () => {
  const { authenticate, checks } = createCounting();
  expect(await authenticate(basic('ann', 'wrong'), here)).toEqual({ type: 'refused', name: 'ann' });
  expect(await authenticate(basic('ann', 'wrong'), here)).toEqual({ type: 'refused', name: 'ann' });
  expect(checks).toHaveLength(2);
});

test('a user that does not exist costs as dear a check, and its name is not given back', async () => {
  const { authenticate, checks } = createCounting();
  expect(await authenticate(basic('bob', 's3cret:pass'), here)).toEqual({ type: 'refused' });
  expect(checks).toHaveLength(1);
  expect(checks[0]?.hash).toMatchObject({ cost: 2 ** 14, blockSize: 8, parallelization: 1 });
});

/** Checks that end when the test says so; `right` is the only password. */
function createHeld(cores = 4) {
  const ends: (() => void)[] = [];
  const known = createAuthenticator(
    credentials,
    createPasswordGate(cores),
    (password) => new Promise((resolve) => ends.push(() => resolve(password === 'right'))),
  );
  const authenticate = (header: string, address: string) => decide(known, header, address);
  const endOne = async () => {
    ends.shift()?.();
    await nextTurn();
  };
  const endAll = async () => {
    await nextTurn();
    while (ends.length > 0) await endOne();
  };
  return { authenticate, known, ends, endOne, endAll };
}

test('the same header many times at once is one check; of others one runs, two wait and the rest is told to come back', async () => {
  const { authenticate, ends, endAll } = createHeld();
  const same = Array.from({ length: 200 }, async () => authenticate(basic('ann', 'right'), here));
  const others = Array.from({ length: 10 }, async (_, number) =>
    authenticate(basic('ann', `${number}`), here),
  );
  await nextTurn();
  expect(ends).toHaveLength(1);
  await endAll();
  expect((await Promise.all(same)).every(({ type }) => type === 'known')).toBe(true);
  const types = (await Promise.all(others)).map(({ type }) => type);
  expect(types.filter((type) => type === 'busy')).toHaveLength(8);
  expect(types.filter((type) => type === 'refused')).toHaveLength(2);
});

test("wrong passwords of one address keep no other address's right one waiting for more than a check", async () => {
  const { authenticate, endOne, endAll } = createHeld(2);
  const flood = Array.from({ length: 200 }, async (_, number) =>
    authenticate(basic('ann', `${number}`), '203.0.113.9'),
  );
  const good = authenticate(basic('ann', 'right'), here);
  for (let ended = 0; ended < 2; ended += 1) await endOne();
  await endAll();
  expect(await good).toMatchObject({ type: 'known' });
  expect(await Promise.all(flood)).not.toContainEqual(expect.objectContaining({ type: 'known' }));
});

test('addresses that send wrong passwords keep a right one of another address waiting for one check', async () => {
  const { authenticate, ends, endOne, endAll } = createHeld(2);
  const guessFromAll = (password: string) =>
    Array.from({ length: 20 }, (_, number) => authenticate(basic('ann', password), `203.0.113.${number}`));
  const before = guessFromAll('wrong');
  await endAll();
  await Promise.all(before);
  const guesses = guessFromAll('wrong again');
  await nextTurn();
  const good = authenticate(basic('ann', 'right'), here);
  await nextTurn();
  for (let ended = 0; ended < 2; ended += 1) await endOne();
  expect(await good).toMatchObject({ type: 'known' });
  expect(ends).toHaveLength(1);
  await endAll();
  await Promise.all(guesses);
});

test.each([
  [1, 1],
  [2, 1],
  [3, 2],
  [64, 2],
])('on %i cores %i checks run at once', async (cores, atOnce) => {
  const { authenticate, ends, endAll } = createHeld(cores);
  const asked = ['a', 'b', 'c'].map(async (address) => authenticate(basic('ann', 'right'), address));
  await nextTurn();
  expect(ends).toHaveLength(atOnce);
  await endAll();
  await Promise.all(asked);
});

test('wrong passwords push no right one out of the memory', async () => {
  const { authenticate, known, endAll } = createHeld();
  const good = authenticate(basic('ann', 'right'), here);
  await nextTurn();
  await endAll();
  expect(await good).toMatchObject({ type: 'known' });
  for (let number = 0; number < 1_100; number += 1) {
    const wrong = authenticate(basic('ann', `${number}`), here);
    await endAll();
    await wrong;
  }
  // nothing is checked
  expect(known(basic('ann', 'right'), here)).toMatchObject({ type: 'known' });
});

test('API keys', async () => {
  const { authenticate, checks } = createCounting();
  expect(await authenticate('ApiKey key-of-root', here)).toMatchObject({ principal: { roles: ['admin'] } });
  expect(await authenticate('apikey key-of-bot', here)).toMatchObject({
    principal: { name: 'key-of-bot', kind: 'api_key', indexPatterns: ['orders-*'] },
  });
  expect(await authenticate('ApiKey key-of-bo', here)).toEqual({ type: 'refused' });
  expect(checks).toHaveLength(0);
});

test.each(['', 'Basic', 'Basic !!!', 'Bearer key-of-root', 'ApiKey a b', `ApiKey ${'k'.repeat(5000)}`])(
  '%j is refused without a check',
  async (header) => {
    const { authenticate, checks } = createCounting();
    expect(await authenticate(header, here)).toEqual({ type: 'refused' });
    expect(checks).toHaveLength(0);
  },
);
