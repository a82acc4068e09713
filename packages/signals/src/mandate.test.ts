import { createMandate } from './mandate';

/** Two clocks that are set by hand. */
function createClock() {
  const times = { wall: 1_700_000_000_000, monotonic: 50 };
  return { times, now: () => times.wall, monotonic: () => times.monotonic };
}

test.each([
  ['the machine was asleep: only the wall clock has gone on', { wall: 60_000, monotonic: 3 }],
  ['the wall clock was put back', { wall: -3_600_000, monotonic: 60_000 }],
])('%s: the charge is over, and its signal with it', (_, { wall, monotonic }) => {
  const clock = createClock();
  const { signal, assertMandate } = createMandate(60_000, clock);
  clock.times.wall += wall;
  clock.times.monotonic += monotonic;
  expect(signal.aborted).toBe(false);
  expect(assertMandate).toThrow('It took longer than 60000 ms');
  expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
});

test('it lasts until its time is over', () => {
  const clock = createClock();
  const { assertMandate } = createMandate(60_000, clock);
  clock.times.wall += 59_999;
  clock.times.monotonic += 59_999;
  expect(assertMandate).not.toThrow();
});

test('it ends with another signal, for its reason', () => {
  const other = new AbortController();
  const { signal, assertMandate } = createMandate(60_000, createClock(), other.signal);
  other.abort(new Error('shut down'));
  expect(signal.aborted).toBe(true);
  expect(assertMandate).toThrow('shut down');
});
