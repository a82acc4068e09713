import { startTicks } from './ticks';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('a tick that takes longer than the interval puts off the next', async () => {
  const ends: (() => void)[] = [];
  const tick = jest.fn(() => new Promise<void>((resolve) => ends.push(resolve)));
  const ticks = startTicks(100, tick, fail);
  await jest.advanceTimersByTimeAsync(350);
  expect(tick).toHaveBeenCalledTimes(1);
  ends[0]?.();
  await jest.advanceTimersByTimeAsync(100);
  expect(tick).toHaveBeenCalledTimes(2);
  ticks.stop();
  ends[1]?.();
  await jest.advanceTimersByTimeAsync(1000);
  expect(tick).toHaveBeenCalledTimes(2);
});

test('a tick that fails says why, and does not keep the next from coming', async () => {
  const failures: unknown[] = [];
  const ticks = startTicks(
    100,
    () => Promise.reject(new Error('away')),
    (error) => failures.push(error),
  );
  await jest.advanceTimersByTimeAsync(250);
  ticks.stop();
  expect(failures).toEqual([new Error('away'), new Error('away')]);
});

function fail(error: unknown): void {
  throw error;
}
