import fc from 'fast-check';
import { allInOneBucket, planWindows, type SeqNoHistogram, type SeqNoWindow } from '..';

/** A histogram of documents at these numbers, which may repeat. */
function histogramOf(seqNos: readonly number[], interval: number): SeqNoHistogram {
  const counts = new Map<number, number>();
  for (const seqNo of seqNos) {
    const start = Math.floor(seqNo / interval) * interval;
    counts.set(start, (counts.get(start) ?? 0) + 1);
  }
  return { interval, counts };
}

const widths = (windows: readonly SeqNoWindow[]) => windows.map(({ from, to }) => to - from);

test('windows cover [from, maxSeqNo] exactly, in order, within the width limit, for any histogram', () => {
  fc.assert(
    fc.property(
      fc.record({
        from: fc.nat(500),
        length: fc.nat(2000),
        seqNos: fc.array(fc.nat(2500)),
        interval: fc.integer({ min: 1, max: 300 }),
        targetDocs: fc.integer({ min: 1, max: 50 }),
        maxWidth: fc.integer({ min: 1, max: 1000 }),
        known: fc.boolean(),
      }),
      ({ from, length, seqNos, interval, targetDocs, maxWidth, known }) => {
        const maxSeqNo = from + length - 1;
        const histogram = known ? { histogram: histogramOf(seqNos, interval) } : {};
        let position = from;
        for (const window of planWindows({
          from,
          maxSeqNo,
          targetDocs: () => targetDocs,
          maxWidth,
          ...histogram,
        })) {
          expect(window.from).toBe(position);
          expect(window.to).toBeGreaterThan(window.from);
          expect(window.to - window.from).toBeLessThanOrEqual(maxWidth);
          position = window.to;
        }
        expect(position).toBe(maxSeqNo + 1);
      },
    ),
  );
});

test('without a histogram a window is as wide as its documents are many', () => {
  const windows = [...planWindows({ from: 0, maxSeqNo: 24, targetDocs: () => 10 })];
  expect(windows).toEqual([
    { from: 0, to: 10 },
    { from: 10, to: 20 },
    { from: 20, to: 25 },
  ]);
});

test('nothing is left above maxSeqNo, nor in an empty shard', () => {
  expect([...planWindows({ from: 10, maxSeqNo: 9, targetDocs: () => 5 })]).toEqual([]);
  expect([...planWindows({ from: 0, maxSeqNo: -1, targetDocs: () => 5 })]).toEqual([]);
});

test('where documents are sparse the windows are wider', () => {
  const everyTenth = histogramOf(
    Array.from({ length: 1000 }, (_, i) => i * 10),
    100,
  );
  const windows = [...planWindows({ from: 0, maxSeqNo: 9999, targetDocs: () => 50, histogram: everyTenth })];
  expect(widths(windows)).toEqual(Array.from({ length: 20 }, () => 500));
});

test('a gap without documents is passed over in one window, up to the width limit', () => {
  const histogram: SeqNoHistogram = {
    interval: 1000,
    counts: new Map([
      [0, 1000],
      [900_000, 1000],
    ]),
  };
  const gap = { from: 1000, maxSeqNo: 900_999, targetDocs: () => 500, histogram };
  expect(widths([...planWindows(gap)])).toEqual([899_500, 500]);
  expect(widths([...planWindows({ ...gap, maxWidth: 400_000 })])).toEqual([400_000, 400_000, 99_500, 500]);
});

test('where is known how many documents there are, and not where: one window for those that fit into one', () => {
  const few = { from: 0, maxSeqNo: 9_999_999, histogram: allInOneBucket(9_999_999, 500) };
  expect(widths([...planWindows({ ...few, targetDocs: () => 500 })])).toEqual([10_000_000]);
  expect(widths([...planWindows({ ...few, from: 9_000_000, targetDocs: () => 500 })])).toEqual([1_000_000]);
  // A window has come to hold fewer meanwhile.
  expect(widths([...planWindows({ ...few, targetDocs: () => 250 })])).toEqual([5_000_000, 5_000_000]);
  expect([
    ...planWindows({ from: 0, maxSeqNo: -1, histogram: allInOneBucket(-1, 0), targetDocs: () => 5 }),
  ]).toEqual([]);
});

test('four documents per number, as after a _shrink: windows are narrower by four', () => {
  const histogram: SeqNoHistogram = { interval: 100, counts: new Map([[0, 400]]) };
  expect(widths([...planWindows({ from: 0, maxSeqNo: 99, targetDocs: () => 100, histogram })])).toEqual([
    25, 25, 25, 25,
  ]);
});

test('more documents at one number than a window should hold: one number per window', () => {
  const histogram: SeqNoHistogram = { interval: 2, counts: new Map([[0, 1000]]) };
  expect(widths([...planWindows({ from: 0, maxSeqNo: 1, targetDocs: () => 10, histogram })])).toEqual([1, 1]);
});

test('windows of evenly filled buckets hold about the documents asked for', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 20, max: 400 }),
      (perBucket, targetDocs) => {
        const interval = 100;
        const seqNos = perBucket.flatMap((count, bucket) =>
          Array.from({ length: count }, (_, i) => bucket * interval + Math.floor((i * interval) / count)),
        );
        const maxSeqNo = perBucket.length * interval - 1;
        const histogram = histogramOf(seqNos, interval);
        const windows = [...planWindows({ from: 0, maxSeqNo, targetDocs: () => targetDocs, histogram })];
        const held = windows.map(({ from, to }) => seqNos.filter((n) => n >= from && n < to).length);
        // Rounding to whole numbers moves a document or two over each border of a bucket.
        for (const documents of held)
          expect(documents).toBeLessThanOrEqual(targetDocs + 2 + perBucket.length);
        for (const documents of held.slice(0, -1)) {
          expect(documents).toBeGreaterThanOrEqual(targetDocs - 2 - perBucket.length);
        }
      },
    ),
  );
});

test('a plan of a trillion numbers begins at once', () => {
  const plan = planWindows({ from: 0, maxSeqNo: 1e12, targetDocs: () => 1000 });
  expect(plan.next().value).toEqual({ from: 0, to: 1000 });
  expect(plan.next().value).toEqual({ from: 1000, to: 2000 });
});

test.each([0, -1, 1.5, NaN])('%d documents per window make no plan', (targetDocs) => {
  expect(() => planWindows({ from: 0, maxSeqNo: 1, targetDocs: () => targetDocs }).next()).toThrow(
    RangeError,
  );
});
