import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import express, { type Request, type Response } from 'express';
import { budgetsOfOne } from '../../__tests__/budgets-of-one';
import type { KnownCredential } from '../read-credentials';
import type { Principal } from '../principal';
import { createSessions, type Sessions, signToken } from './sessions';

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

/** A request with this cookie, and the answer that Express makes for it. */
function exchange(cookie?: string) {
  const request = new IncomingMessage(new Socket());
  if (cookie !== undefined) request.headers.cookie = cookie;
  const response = Object.setPrototypeOf(new ServerResponse(request), express.response) as Response;
  return {
    request: request as Request,
    response,
    given: () => String(response.getHeader('set-cookie') ?? ''),
  };
}
function open(sessions: Sessions): string {
  const { response, given } = exchange();
  sessions.open(ann, response);
  return given();
}
async function read(sessions: Sessions, header?: string) {
  const { request, response, given } = exchange(header);
  const session = await sessions.read(request, response);
  return session && { ...session, renewal: given() };
}
const valueOf = (cookie: string): string => cookie.split(';')[0] ?? '';

test('a cookie says whose it is, and scripts and other sites never have it', async () => {
  const { sessions } = start();
  const cookie = open(sessions);
  expect(cookie).toMatch(
    /^aosc_session=[\w.-]+; Max-Age=900; Path=\/; Expires=[\w ,:]+; HttpOnly; SameSite=Strict$/,
  );
  expect((await read(sessions, `a=b; ${valueOf(cookie)}; c=d`))?.principal).toBe(ann);
});

test('over HTTPS it goes nowhere else, and no neighbour of the same domain can set it', async () => {
  const { sessions } = start(true);
  const cookie = open(sessions);
  expect(cookie).toMatch(/^__Host-aosc_session=.*; Path=\/; .*; HttpOnly; Secure; SameSite=Strict$/);
  expect((await read(sessions, valueOf(cookie)))?.principal).toBe(ann);
  expect(await read(sessions, valueOf(cookie).replace('__Host-', ''))).toBeUndefined();
});

test.each([
  '',
  'aosc_session=',
  'aosc_session=a.b',
  'aosc_session=a',
  `aosc_session=${'a'.repeat(5_000)}`,
  'other=1',
])('the cookie %j is nobody', async (header) => {
  expect(await read(start().sessions, header)).toBeUndefined();
});

test('a token that was changed, or signed with another key, is none', async () => {
  const { sessions } = start();
  const value = valueOf(open(sessions));
  const [said = '', proof = ''] = value.slice('aosc_session='.length).split('.');
  const claims = JSON.parse(Buffer.from(said, 'base64url').toString()) as Record<string, unknown>;
  const forged = Buffer.from(JSON.stringify({ ...claims, name: 'admin' })).toString('base64url');
  expect(await read(sessions, `aosc_session=${forged}.${proof}`)).toBeUndefined();
  const other = signToken(
    { ...claims, kind: 'user', name: 'ann', id: 'i', credential: 'f', sinceMillis: 1, issuedMillis: 1 },
    Buffer.alloc(32, 2),
  );
  expect(await read(sessions, `aosc_session=${other}`)).toBeUndefined();
});

test('it ends when it is not used, and is renewed when it is, up to a day of work', async () => {
  const { sessions, state } = start();
  let value = valueOf(open(sessions));
  expect((await read(sessions, value))?.renewal).toBe('');
  const first = (await read(sessions, value))?.csrfToken;
  let minutes = 0;
  for (; minutes < 470; minutes += 10) {
    state.millis += 10 * minute;
    const session = await read(sessions, value);
    expect(session?.csrfToken).toBe(first);
    value = valueOf(session?.renewal ?? '');
  }
  state.millis += 14 * minute;
  expect(await read(sessions, value)).toBeUndefined();
  const fresh = valueOf(open(sessions));
  state.millis += 15 * minute;
  expect(await read(sessions, fresh)).toBeUndefined();
});

test('it ends with the credential, or when that is another one', async () => {
  const { sessions, state } = start();
  const value = valueOf(open(sessions));
  state.known = { principal: ann, fingerprint: 'other' };
  expect(await read(sessions, value)).toBeUndefined();
  state.known = undefined;
  expect(await read(sessions, value)).toBeUndefined();
});

test('a session that was ended is over, with every token of it', async () => {
  const { sessions } = start();
  const value = valueOf(open(sessions));
  await (await read(sessions, value))?.end();
  expect(await read(sessions, value)).toBeUndefined();
  const { response, given } = exchange();
  sessions.forget(response);
  expect(given()).toMatch(/^aosc_session=; Path=\/; Expires=Thu, 01 Jan 1970/);
});

test('two sessions have two tokens for the page', async () => {
  const { sessions } = start();
  const [a, b] = [
    await read(sessions, valueOf(open(sessions))),
    await read(sessions, valueOf(open(sessions))),
  ];
  expect(a?.csrfToken).not.toBe(b?.csrfToken);
});

test('a credential that changed while it was checked opens no session', () => {
  const { sessions, state } = start();
  state.known = { principal: { ...ann }, fingerprint: 'g' };
  expect(() => open(sessions)).toThrow('have just changed');
  state.known = undefined;
  expect(() => open(sessions)).toThrow('have just changed');
});

test('while it is not known who has signed out, the sessions that were running go on, and no other cookie counts', async () => {
  const { sessions, state } = start();
  const value = valueOf(open(sessions));
  const unknown = createSessions({
    key,
    isSecure: false,
    ended: { set: () => Promise.resolve(), has: () => Promise.resolve(state.answer) },
    findCredential: () => state.known,
    now: () => state.millis,
  });
  expect(await read(unknown, value)).toBeUndefined();
  state.answer = false;
  expect((await read(unknown, value))?.principal).toBe(ann);
  state.answer = undefined;
  expect((await read(unknown, value))?.principal).toBe(ann);
  const own = valueOf(open(unknown));
  await (await read(unknown, own))?.end();
  expect(await read(unknown, own)).toBeUndefined();
});
