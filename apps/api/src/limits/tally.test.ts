import { createTally } from './tally';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('a thousand of a kind are one report, and so are the next', () => {
  const reports: unknown[] = [];
  const tally = createTally<'a' | 'b'>(60_000, (counts) => reports.push(counts));
  for (let times = 0; times < 1_000; times += 1) tally.note('a');
  tally.note('b');
  jest.advanceTimersByTime(59_999);
  expect(reports).toEqual([]);
  jest.advanceTimersByTime(1);
  expect(reports).toEqual([{ a: 1_000, b: 1 }]);
  jest.advanceTimersByTime(600_000);
  tally.note('b');
  jest.advanceTimersByTime(60_000);
  expect(reports).toEqual([{ a: 1_000, b: 1 }, { b: 1 }]);
});

test('at the end the rest is told, once', () => {
  const reports: unknown[] = [];
  const tally = createTally<'a'>(60_000, (counts) => reports.push(counts));
  tally.note('a');
  tally.close();
  tally.close();
  jest.runAllTimers();
  expect(reports).toEqual([{ a: 1 }]);
});
