import { ApiError, ConnectionError } from './errors.ts';
import { decidePause, planRetries, readRetryAfter } from './retry.ts';

const asked = { method: 'GET', path: '/' };
const plan = planRetries({ attempts: 4, baseMs: 100, maxMs: 300 });
const refused = (status: number, retryAfterMs?: number) =>
  new ApiError(asked, status, { type: 't', reason: 'r', root_cause: [] }, retryAfterMs);
const cut = new ConnectionError(asked, 'cut');
const pause = (error: unknown, changesNothing: boolean, attempt = 1, random = 0) =>
  decidePause(plan, { error, attempt, changesNothing }, random);

test.each([429, 502, 503, 504])('a question is asked again after %i', (status) => {
  expect(pause(refused(status), true)).toBe(50);
});

test('and after an answer that did not come', () => expect(pause(cut, true)).toBe(50));

test.each([400, 401, 403, 404, 409, 500, 501])('but not after %i', (status) => {
  expect(pause(refused(status), true)).toBeUndefined();
});

test.each([refused(502), refused(503), refused(504), cut, new Error('any')])(
  'what changes something is not sent again after %s: it may have been done',
  (error) => expect(pause(error, false)).toBeUndefined(),
);

test('it is after 429, which comes before anything is done', () =>
  expect(pause(refused(429), false)).toBe(50));

test('pauses grow to their bound, by half of chance, and attempts end', () => {
  expect([1, 2, 3].map((attempt) => pause(cut, true, attempt))).toEqual([50, 100, 150]);
  expect([1, 2, 3].map((attempt) => pause(cut, true, attempt, 0.999_999))).toEqual([100, 200, 300]);
  expect(pause(cut, true, 4)).toBeUndefined();
});

test('Retry-After comes on top; one that is too long ends the attempts', () => {
  expect(pause(refused(429, 2000), false)).toBe(2050);
  expect(pause(refused(503, 60_000), true)).toBe(60_050);
  expect(pause(refused(503, 60_001), true)).toBeUndefined();
});

test.each([
  ['3', 3000],
  ['0', 0],
  ['Thu, 01 Jan 1970 00:00:05 GMT', 4000],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['soon', undefined],
  [null, undefined],
])('Retry-After: %s', (value, ms) => expect(readRetryAfter(value, 1000)).toBe(ms));

test.each([{ attempts: 0 }, { attempts: 21 }, { attempts: 1.5 }, { baseMs: -1 }, { maxMs: NaN }])(
  'refuses %j',
  (options) => expect(() => planRetries(options)).toThrow(TypeError),
);
