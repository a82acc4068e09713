import type { KnownCredential } from '../read-credentials';
import type { Principal } from '../principal';
import { createSessions } from './sessions';
import { csrfTokenOf, signToken } from './session-token';

const key = Buffer.alloc(32, 1);
const ann: Principal = { kind: 'user', name: 'ann', roles: ['operate'], indexPatterns: undefined };
const minute = 60_000;

function start(isSecure = false) {
  const state = {
    millis: 1_000_000,
    known: { principal: ann, fingerprint: 'f' } as KnownCredential | undefined,
  };
  const sessions = createSessions({
    key,
    isSecure,
    findCredential: (kind, name) => (kind === 'user' && name === 'ann' ? state.known : undefined),
    now: () => state.millis,
  });
  return { sessions, state };
}
const valueOf = (cookie: string): string => cookie.split(';')[0] ?? '';

test('a cookie says whose it is, and scripts and other sites never have it', () => {
  const { sessions } = start();
  const { cookie } = sessions.open(ann);
  expect(cookie).toMatch(/^aosc_session=[\w.-]+; Max-Age=900; Path=\/; HttpOnly; SameSite=Strict$/);
  expect(start(true).sessions.open(ann).cookie).toMatch(/; Secure$/);
  expect(sessions.read(`a=b; ${valueOf(cookie)}; c=d`)?.principal).toBe(ann);
});

test.each([
  '',
  'aosc_session=',
  'aosc_session=a.b',
  'aosc_session=a',
  `aosc_session=${'a'.repeat(5_000)}`,
  'other=1',
])('the cookie %j is nobody', (header) => {
  expect(start().sessions.read(header)).toBeUndefined();
});

test('a token that was changed, or signed with another key, is none', () => {
  const { sessions } = start();
  const value = valueOf(sessions.open(ann).cookie);
  const [said = '', proof = ''] = value.slice('aosc_session='.length).split('.');
  const claims = JSON.parse(Buffer.from(said, 'base64url').toString()) as Record<string, unknown>;
  const forged = Buffer.from(JSON.stringify({ ...claims, name: 'admin' })).toString('base64url');
  expect(sessions.read(`aosc_session=${forged}.${proof}`)).toBeUndefined();
  const other = signToken(
    { ...claims, kind: 'user', name: 'ann', id: 'i', credential: 'f', sinceMillis: 1, issuedMillis: 1 },
    Buffer.alloc(32, 2),
  );
  expect(sessions.read(`aosc_session=${other}`)).toBeUndefined();
});

test('it ends when it is not used, and is renewed when it is, up to a day of work', () => {
  const { sessions, state } = start();
  let value = valueOf(sessions.open(ann).cookie);
  expect(sessions.read(value)?.renewal).toBeUndefined();
  const first = sessions.read(value)?.csrfToken;
  let minutes = 0;
  for (; minutes < 470; minutes += 10) {
    state.millis += 10 * minute;
    const session = sessions.read(value);
    expect(session?.csrfToken).toBe(first);
    value = valueOf(session?.renewal ?? '');
  }
  state.millis += 14 * minute;
  expect(sessions.read(value)).toBeUndefined();
  const fresh = valueOf(sessions.open(ann).cookie);
  state.millis += 15 * minute;
  expect(sessions.read(fresh)).toBeUndefined();
});

test('it ends with the credential, or when that is another one', () => {
  const { sessions, state } = start();
  const value = valueOf(sessions.open(ann).cookie);
  state.known = { principal: ann, fingerprint: 'other' };
  expect(sessions.read(value)).toBeUndefined();
  state.known = undefined;
  expect(sessions.read(value)).toBeUndefined();
});

test('a session that was ended is over, with every token of it', () => {
  const { sessions } = start();
  const value = valueOf(sessions.open(ann).cookie);
  sessions.read(value)?.end();
  expect(sessions.read(value)).toBeUndefined();
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
