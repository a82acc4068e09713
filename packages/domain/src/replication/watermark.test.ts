import fc from 'fast-check';
import { createWindowTracker, planWindows, type SeqNoWindow } from '..';

const start = { watermark: 0, documents: 0 };
const plan = (count: number, width = 10) =>
  planWindows({ from: 0, maxSeqNo: count * width - 1, targetDocs: () => width });

function take(tracker: ReturnType<typeof createWindowTracker>): SeqNoWindow {
  const next = tracker.next();
  if (next.kind !== 'window') throw new Error(`expected a window, got ${next.kind}`);
  return next.window;
}

test('a window that finishes early moves the watermark only when those before it are complete', () => {
  const tracker = createWindowTracker(plan(3), start, 3);
  const [first, second, third] = [take(tracker), take(tracker), take(tracker)];
  expect(tracker.complete(third, 3)).toEqual({ watermark: 0, documents: 0 });
  expect(tracker.complete(first, 1)).toEqual({ watermark: 10, documents: 1 });
  expect(tracker.complete(second, 2)).toEqual({ watermark: 30, documents: 6 });
});

test('a slow window holds the others back: finished ones above it count against the limit', () => {
  const tracker = createWindowTracker(plan(5), start, 2);
  const [slow, fast] = [take(tracker), take(tracker)];
  expect(tracker.next()).toEqual({ kind: 'full' });
  tracker.complete(fast, 10);
  expect(tracker.next()).toEqual({ kind: 'full' });
  tracker.complete(slow, 10);
  expect(take(tracker)).toEqual({ from: 20, to: 30 });
});

test('a plan at its end is exhausted while a window is out, and stays so', () => {
  const tracker = createWindowTracker(plan(1), start, 4);
  const only = take(tracker);
  expect(tracker.next()).toEqual({ kind: 'exhausted' });
  expect(tracker.complete(only, 10)).toEqual({ watermark: 10, documents: 10 });
  expect(tracker.next()).toEqual({ kind: 'exhausted' });
});

test('an empty plan is exhausted where it begins', () => {
  const tracker = createWindowTracker(plan(0), start, 4);
  expect(tracker.next()).toEqual({ kind: 'exhausted' });
  expect(tracker.current).toEqual(start);
});

test('resumes from a stored watermark', () => {
  const windows = planWindows({ from: 40, maxSeqNo: 49, targetDocs: () => 10 });
  const tracker = createWindowTracker(windows, { watermark: 40, documents: 33 }, 1);
  expect(tracker.complete(take(tracker), 7)).toEqual({ watermark: 50, documents: 40 });
});

test('a plan with a hole, or a beginning elsewhere, is refused', () => {
  const holes = [
    { from: 0, to: 10 },
    { from: 11, to: 20 },
  ];
  const tracker = createWindowTracker(holes.values(), start, 4);
  take(tracker);
  expect(() => tracker.next()).toThrow('does not follow 10');
  expect(() => createWindowTracker(plan(1), { watermark: 5, documents: 0 }, 1).next()).toThrow(RangeError);
});

test('a window that is not out is not taken back', () => {
  const tracker = createWindowTracker(plan(3), start, 3);
  const [first, second] = [take(tracker), take(tracker)];
  expect(() => tracker.complete({ from: 20, to: 30 }, 1)).toThrow('is not out');
  expect(() => tracker.complete({ from: 10, to: 15 }, 1)).toThrow('is not out');
  tracker.complete(second, 1);
  expect(() => tracker.complete(second, 1)).toThrow('is not out');
  tracker.complete(first, 1);
  expect(() => tracker.complete(first, 1)).toThrow('is not out');
  expect(() => tracker.complete(take(tracker), -1)).toThrow(RangeError);
});

test('in any order of completion: the watermark is the first number not covered, and counts what is below it', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 40 }),
      fc.integer({ min: 1, max: 6 }),
      fc.infiniteStream(fc.nat(1000)),
      (count, maxWindows, random) => {
        const tracker = createWindowTracker(plan(count), start, maxWindows);
        const draw = (below: number) => (random.next().value ?? 0) % below;
        const out: SeqNoWindow[] = [];
        const documentsOf = new Map<number, number>();
        let isExhausted = false;
        while (!isExhausted || out.length > 0) {
          const next = draw(2) === 0 || out.length === 0 ? tracker.next() : undefined;
          isExhausted ||= next?.kind === 'exhausted';
          if (next?.kind === 'window') out.push(next.window);
          const [done] = out.length > 0 && next?.kind !== 'window' ? out.splice(draw(out.length), 1) : [];
          if (done !== undefined) {
            const documents = draw(20);
            documentsOf.set(done.from, documents);
            const before = tracker.current.watermark;
            expect(tracker.complete(done, documents).watermark).toBeGreaterThanOrEqual(before);
          }
          let covered = 0;
          let documents = 0;
          for (; documentsOf.has(covered); covered += 10) documents += documentsOf.get(covered) ?? 0;
          expect(tracker.current).toEqual({ watermark: covered, documents });
          expect(out.length).toBeLessThanOrEqual(maxWindows);
        }
        expect(tracker.current.watermark).toBe(count * 10);
      },
    ),
  );
});
