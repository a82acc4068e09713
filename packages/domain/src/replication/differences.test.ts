import fc from 'fast-check';
import { differingBuckets, histogramInterval, multisetDifference } from '..';

describe('histogramInterval', () => {
  test.each([
    [-1, 4096],
    [0, 4096],
    [4096 * 65_535 - 1, 4096],
    [4096 * 65_535, 8192],
  ])('up to %d: %d', (maxSeqNo, interval) => expect(histogramInterval(maxSeqNo)).toBe(interval));

  test('never needs more buckets than OpenSearch gives', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (maxSeqNo) => {
        expect(Math.floor(maxSeqNo / histogramInterval(maxSeqNo)) + 1).toBeLessThanOrEqual(65_535);
      }),
    );
  });
});

describe('differingBuckets', () => {
  const histogram = (counts: Record<string, number>, interval = 10) => ({
    interval,
    counts: new Map(Object.entries(counts).map(([start, count]) => [Number(start), count])),
  });

  test('more, fewer, gone and new, in order of their numbers', () => {
    const before = histogram({ 0: 5, 10: 5, 20: 5, 100: 5 });
    const after = histogram({ 0: 5, 10: 4, 20: 6, 9: 0, 200: 1 });
    expect(differingBuckets(before, after)).toEqual([10, 20, 100, 200]);
  });

  test('histograms of different intervals are not compared', () => {
    expect(() => differingBuckets(histogram({ 0: 1 }), histogram({ 0: 1 }, 20))).toThrow(RangeError);
  });
});

describe('multisetDifference', () => {
  const entry = (seqNo: number, id: string) => ({ seqNo, id });

  test('one number with several documents, and one pair twice', () => {
    const before = [entry(1, 'a'), entry(1, 'b'), entry(2, 'c'), entry(2, 'c')];
    const after = [entry(2, 'c'), entry(1, 'b'), entry(3, 'd')];
    expect(multisetDifference(before, after)).toEqual({
      onlyBefore: [entry(1, 'a'), entry(2, 'c')],
      onlyAfter: [entry(3, 'd')],
    });
  });

  test('a number that another primary has given again is another operation', () => {
    const before = [{ seqNo: 7, id: 'a', primaryTerm: 1 }];
    const after = [{ seqNo: 7, id: 'a', primaryTerm: 2 }];
    expect(multisetDifference(before, after)).toEqual({ onlyBefore: before, onlyAfter: after });
  });

  test('an id may look like a number and a colon', () => {
    expect(multisetDifference([entry(1, '2:x')], [entry(12, ':x')]).onlyBefore).toHaveLength(1);
  });

  test('what both have and what only one has add up, whatever the order', () => {
    const list = fc.array(fc.record({ seqNo: fc.nat(3), id: fc.constantFrom('a', 'b') }));
    fc.assert(
      fc.property(list, list, (before, after) => {
        const { onlyBefore, onlyAfter } = multisetDifference(before, after);
        const sorted = (entries: readonly { seqNo: number; id: string }[]) =>
          entries.map(({ seqNo, id }) => `${seqNo} ${id}`).sort();
        expect(sorted([...before, ...onlyAfter])).toEqual(sorted([...after, ...onlyBefore]));
        const pairs = new Set(sorted(onlyBefore));
        expect(sorted(onlyAfter).filter((pair) => pairs.has(pair))).toEqual([]);
      }),
    );
  });
});
