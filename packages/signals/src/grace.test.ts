import { graceAfter } from './grace';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const over = new Error('over');

test('it ends after the other one, for its reason', () => {
  const caller = new AbortController();
  const { signal } = graceAfter(caller.signal, 2000);
  jest.advanceTimersByTime(60_000);
  caller.abort(over);
  jest.advanceTimersByTime(1999);
  expect(signal.aborted).toBe(false);
  jest.advanceTimersByTime(1);
  expect(signal.reason).toBe(over);
});

test('a signal that has ended already leaves as much time', () => {
  const { signal } = graceAfter(AbortSignal.abort(over), 2000);
  jest.advanceTimersByTime(1999);
  expect(signal.aborted).toBe(false);
  jest.advanceTimersByTime(1);
  expect(signal.reason).toBe(over);
});

test.each([
  ['before the other one', ['end', 'abort']],
  ['after it', ['abort', 'end']],
])('work that is over %s is not ended any more', (_, order) => {
  const caller = new AbortController();
  const grace = graceAfter(caller.signal, 2000);
  for (const step of order) {
    if (step === 'end') grace.end();
    else caller.abort(over);
  }
  jest.advanceTimersByTime(60_000);
  expect(grace.signal.aborted).toBe(false);
  expect(jest.getTimerCount()).toBe(0);
});
