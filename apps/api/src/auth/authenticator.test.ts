import { setImmediate as nextTurn } from 'node:timers/promises';
import { basic, keyEntry, passwordHash } from './__tests__/credentials';
import { createAuthenticator } from './authenticator';
import { createLoginQueue } from './login-queue';
import { readCredentials } from './read-credentials';
import { type ScryptHash, verifyPassword } from './secret-hash';

const credentials = readCredentials(
  JSON.stringify({
    users: [{ name: 'ann', password_hash: passwordHash('s3cret:pass'), roles: ['operate'] }],
    api_keys: [keyEntry('key-of-bot', ['read'], ['orders-*']), keyEntry('key-of-root', ['admin'])],
  }),
);

const here = '127.0.0.1';

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
  const authenticate = createAuthenticator(
    credentials,
    (password) => new Promise((resolve) => ends.push(() => resolve(password === 'right'))),
    createLoginQueue(cores),
  );
  const endOne = async () => {
    ends.shift()?.();
    await nextTurn();
  };
  const endAll = async () => {
    while (ends.length > 0) await endOne();
  };
  return { authenticate, ends, endOne, endAll };
}

test('the same header many times at once is one check; of others, two wait and the rest is told to come back', async () => {
  const { authenticate, ends, endAll } = createHeld();
  const same = Array.from({ length: 200 }, async () => authenticate(basic('ann', 'right'), here));
  const others = Array.from({ length: 10 }, async (_, number) =>
    authenticate(basic('ann', `${number}`), here),
  );
  await nextTurn();
  expect(ends).toHaveLength(2);
  await endAll();
  expect((await Promise.all(same)).every(({ type }) => type === 'known')).toBe(true);
  const types = (await Promise.all(others)).map(({ type }) => type);
  expect(types.filter((type) => type === 'busy')).toHaveLength(7);
  expect(types.filter((type) => type === 'refused')).toHaveLength(3);
});

test("wrong passwords of one address keep no other address's right one out, nor make it wait for all of them", async () => {
  const { authenticate, endOne, endAll } = createHeld();
  const flood = Array.from({ length: 200 }, async (_, number) =>
    authenticate(basic('ann', `${number}`), '203.0.113.9'),
  );
  const good = authenticate(basic('ann', 'right'), here);
  // the two that run, the one whose turn it is, and its own
  for (let ended = 0; ended < 4; ended += 1) await endOne();
  expect(await good).toMatchObject({ type: 'known' });
  await endAll();
  expect(await Promise.all(flood)).not.toContainEqual(expect.objectContaining({ type: 'known' }));
});

test('an address that has not guessed waits for no more than the check that runs, however many others guess', async () => {
  const { authenticate, ends, endOne, endAll } = createHeld(2);
  const addresses = Array.from({ length: 20 }, (_, number) => `203.0.113.${number}`);
  const guessAll = () => addresses.map(async (address) => authenticate(basic('ann', 'wrong'), address));
  const first = guessAll();
  await endAll();
  await Promise.all(first);
  const flood = guessAll();
  const good = authenticate(basic('ann', 'right'), here);
  await nextTurn();
  expect(ends).toHaveLength(1);
  for (let ended = 0; ended < 2; ended += 1) await endOne();
  expect(await good).toMatchObject({ type: 'known' });
  await endAll();
  expect(await Promise.all(flood)).toEqual(addresses.map(() => ({ type: 'refused', name: 'ann' })));
});

test('an address is no suspect any more when its password was right', async () => {
  const { authenticate, endOne, endAll } = createHeld(2);
  const ask = async (password: string, address: string) => authenticate(basic('ann', password), address);
  for (const address of [here, 'guesser']) {
    const wrong = ask('wrong', address);
    await endAll();
    await wrong;
  }
  const mended = ask('right', here);
  await endAll();
  expect(await mended).toMatchObject({ type: 'known' });
  const order: string[] = [];
  const note = (name: string) => (): number => order.push(name);
  const all = [
    ask('runs', 'other').then(note('runs')),
    ask('guess', 'guesser').then(note('guess')),
    ask('typo', here).then(note('typo')),
  ];
  for (let ended = 0; ended < 3; ended += 1) await endOne();
  await Promise.all(all);
  expect(order).toEqual(['runs', 'typo', 'guess']);
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
  const { authenticate, endAll } = createHeld();
  const good = authenticate(basic('ann', 'right'), here);
  await nextTurn();
  await endAll();
  expect(await good).toMatchObject({ type: 'known' });
  for (let number = 0; number < 1_100; number += 1) {
    const wrong = authenticate(basic('ann', `${number}`), here);
    await endAll();
    await wrong;
  }
  // no promise: nothing was checked
  expect(authenticate(basic('ann', 'right'), here)).toMatchObject({ type: 'known' });
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
