import fc from 'fast-check';
import { cutBuckets, groupBuckets, searchInterval } from './search-plan';

test('the interval keeps the histogram below 65,535 buckets and is a power of two', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -1, max: 2 ** 50 }),
      fc.integer({ min: 0, max: 10_000_000 }),
      (max, found) => {
        const interval = searchInterval(max, found);
        expect(Math.floor(max / interval) + 1).toBeLessThan(65_535);
        expect(Number.isInteger(Math.log2(interval))).toBe(true);
      },
    ),
  );
});

test('more differences are searched for in narrower buckets', () => {
  expect(searchInterval(10_000_000, 10)).toBeGreaterThan(searchInterval(10_000_000, 1000));
});

test('groups cover exactly the numbers of the buckets, within their bounds', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 0, max: 200 }), { maxLength: 100 }),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 10, max: 60 }),
      (buckets, maxRanges, maxNumbers) => {
        const interval = 8;
        const starts = buckets.sort((a, b) => a - b).map((bucket) => bucket * interval);
        const limit = Math.max(0, ...starts) + 3;
        const groups = groupBuckets(starts, interval, limit, { maxRanges, maxNumbers });
        const covered = groups.flat().flatMap(({ from, to }) => range(from, to));
        expect(covered).toEqual(starts.flatMap((from) => range(from, Math.min(from + interval, limit + 1))));
        for (const group of groups) {
          expect(group.length).toBeLessThanOrEqual(maxRanges);
          const numbers = group.reduce((sum, { from, to }) => sum + to - from, 0);
          expect(numbers).toBeLessThanOrEqual(Math.max(maxNumbers, interval));
        }
      },
    ),
  );
});

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}

test('buckets of a shard with billions of numbers are cut, so that no query counts more than it may', () => {
  const limit = 5_000_000_000;
  const bounds = { maxRanges: 500, maxNumbers: 20_000 };
  const interval = searchInterval(limit, 10);
  expect(interval).toBeGreaterThan(bounds.maxNumbers);
  const starts = [0, 3 * interval, limit - (limit % interval)];
  const cut = cutBuckets(starts, interval, bounds.maxNumbers);
  const groups = groupBuckets(cut.starts, cut.interval, limit, bounds);
  for (const group of groups) {
    expect(group.reduce((sum, { from, to }) => sum + to - from, 0)).toBeLessThanOrEqual(bounds.maxNumbers);
  }
  const last = limit - (limit % interval);
  const covered = groups.flat().reduce((sum, { from, to }) => sum + to - from, 0);
  expect(covered).toBe(2 * interval + (limit + 1 - last));
  expect(groups.flat().every(({ from, to }) => from < to)).toBe(true);
});

test('narrow buckets are not cut', () => {
  expect(cutBuckets([0, 64], 64, 20_000)).toEqual({ starts: [0, 64], interval: 64 });
});
