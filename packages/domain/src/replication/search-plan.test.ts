import fc from 'fast-check';
import { groupBuckets, searchInterval } from './search-plan';

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
