import { budgetsOfOne } from '../../__tests__/budgets-of-one';
import type { KnownCredential } from '../read-credentials';
import type { Principal } from '../principal';
import { createSessions, csrfTokenOf, signToken } from './sessions';

const key = Buffer.alloc(32, 1);
const ann: Principal = { kind: 'user', name: 'ann', roles: ['operate'], indexPatterns: undefined };
const minute = 60_000;

function start(isSecure = false) {
  const state = {
    millis: 1_000_000,
    known: { principal: ann, fingerprint: 'f' } as KnownCredential | undefined,
    /** whether a session has been signed out, as far as anybody knows */
    answer: undefined as boolean | undefined,
  };
  const sessions = createSessions({
    key,
    isSecure,
    ended: budgetsOfOne(() => state.millis).marks('ended'),
    findCredential: (kind, name) => (kind === 'user' && name === 'ann' ? state.known : undefined),
    now: () => state.millis,
  });
  return { sessions, state };
}
const valueOf = (cookie: string): string => cookie.split(';')[0] ?? '';

test('a cookie says whose it is, and scripts and other sites never have it', async () => {
  const { sessions } = start();
  const { cookie } = sessions.open(ann);
  expect(cookie).toMatch(/^aosc_session=[\w.-]+; Max-Age=900; Path=\/; HttpOnly; SameSite=Strict$/);
  expect((await sessions.read(`a=b; ${valueOf(cookie)}; c=d`))?.principal).toBe(ann);
});

test('over HTTPS it goes nowhere else, and no neighbour of the same domain can set it', async () => {
  const { sessions } = start(true);
  const { cookie } = sessions.open(ann);
  expect(cookie).toMatch(/^__Host-aosc_session=.*; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
  expect((await sessions.read(valueOf(cookie)))?.principal).toBe(ann);
  expect(await sessions.read(valueOf(cookie).replace('__Host-', ''))).toBeUndefined();
});

test.each([
  '',
  'aosc_session=',
  'aosc_session=a.b',
  'aosc_session=a',
  `aosc_session=${'a'.repeat(5_000)}`,
  'other=1',
])('the cookie %j is nobody', async (header) => {
  expect(await start().sessions.read(header)).toBeUndefined();
});

test('a token that was changed, or signed with another key, is none', async () => {
  const { sessions } = start();
  const value = valueOf(sessions.open(ann).cookie);
  const [said = '', proof = ''] = value.slice('aosc_session='.length).split('.');
  const claims = JSON.parse(Buffer.from(said, 'base64url').toString()) as Record<string, unknown>;
  const forged = Buffer.from(JSON.stringify({ ...claims, name: 'admin' })).toString('base64url');
  expect(await sessions.read(`aosc_session=${forged}.${proof}`)).toBeUndefined();
  const other = signToken(
    { ...claims, kind: 'user', name: 'ann', id: 'i', credential: 'f', sinceMillis: 1, issuedMillis: 1 },
    Buffer.alloc(32, 2),
  );
  expect(await sessions.read(`aosc_session=${other}`)).toBeUndefined();
});

test('it ends when it is not used, and is renewed when it is, up to a day of work', async () => {
  const { sessions, state } = start();
  let value = valueOf(sessions.open(ann).cookie);
  expect((await sessions.read(value))?.renewal).toBeUndefined();
  const first = (await sessions.read(value))?.csrfToken;
  let minutes = 0;
  for (; minutes < 470; minutes += 10) {
    state.millis += 10 * minute;
    const session = await sessions.read(value);
    expect(session?.csrfToken).toBe(first);
    value = valueOf(session?.renewal ?? '');
  }
  state.millis += 14 * minute;
  expect(await sessions.read(value)).toBeUndefined();
  const fresh = valueOf(sessions.open(ann).cookie);
  state.millis += 15 * minute;
  expect(await sessions.read(fresh)).toBeUndefined();
});

test('it ends with the credential, or when that is another one', async () => {
  const { sessions, state } = start();
  const value = valueOf(sessions.open(ann).cookie);
  state.known = { principal: ann, fingerprint: 'other' };
  expect(await sessions.read(value)).toBeUndefined();
  state.known = undefined;
  expect(await sessions.read(value)).toBeUndefined();
});

test('a session that was ended is over, with every token of it', async () => {
  const { sessions } = start();
  const value = valueOf(sessions.open(ann).cookie);
  await (await sessions.read(value))?.end();
  expect(await sessions.read(value)).toBeUndefined();
  expect(sessions.farewell).toContain('Max-Age=0');
});

test('two sessions have two tokens for the page', () => {
  expect(csrfTokenOf({ id: 'a' }, key)).not.toBe(csrfTokenOf({ id: 'b' }, key));
});

test('a credential that changed while it was checked opens no session', () => {
  const { sessions, state } = start();
  state.known = { principal: { ...ann }, fingerprint: 'g' };
  expect(() => sessions.open(ann)).toThrow('have just changed');
  state.known = undefined;
  expect(() => sessions.open(ann)).toThrow('have just changed');
});

test('while it is not known who has signed out, the sessions that were running go on, and no other cookie counts', async () => {
  const { sessions, state } = start();
  const value = valueOf(sessions.open(ann).cookie);
  const unknown = createSessions({
    key,
    isSecure: false,
    ended: { set: () => Promise.resolve(), has: () => Promise.resolve(state.answer) },
    findCredential: () => state.known,
    now: () => state.millis,
  });
  expect(await unknown.read(value)).toBeUndefined();
  state.answer = false;
  expect((await unknown.read(value))?.principal).toBe(ann);
  state.answer = undefined;
  expect((await unknown.read(value))?.principal).toBe(ann);
  const own = valueOf(unknown.open(ann).cookie);
  await (await unknown.read(own))?.end();
  expect(await unknown.read(own)).toBeUndefined();
});
