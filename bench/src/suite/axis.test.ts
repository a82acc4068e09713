import { ticksUpTo } from './axis';

test.each([
  [1, [0, 0.5, 1]],
  [0.9, [0, 0.5, 1]],
  [3, [0, 1, 2, 3]],
  [1300, [0, 500, 1000, 1500]],
  [81_000, [0, 50_000, 100_000]],
  [0, [0, 0.5, 1]],
])('up to %d there are few round ticks, the last one not below it', (max, ticks) => {
  expect(ticksUpTo(max)).toEqual(ticks);
});
