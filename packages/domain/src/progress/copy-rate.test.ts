import { advanceRate, type CopySample, type MovingRate, readRate, secondsLeft, startRate } from './copy-rate';

const start: CopySample = { atMs: 0, documents: 0, bytes: 0 };

/** A copy at constant speed, looked at every two seconds. */
function run(before: MovingRate, seconds: number, documentsPerSecond: number): MovingRate {
  let moving = before;
  for (let passed = 0; passed < seconds; passed += 2) {
    const { atMs, documents, bytes } = moving.last;
    moving = advanceRate(moving, {
      atMs: atMs + 2000,
      documents: documents + 2 * documentsPerSecond,
      bytes: bytes + 200 * documentsPerSecond,
    });
  }
  return moving;
}

test('no rate before time has passed, then the one that was seen', () => {
  const first = startRate(start);
  expect(readRate(first)).toBeUndefined();
  expect(advanceRate(first, { ...start, documents: 5 })).toEqual(first);
  expect(readRate(run(first, 2, 100))).toEqual({ documentsPerSecond: 100, bytesPerSecond: 10_000 });
});

test('a look at the very beginning, when nothing is done yet, does not make it slow', () => {
  const early = advanceRate(startRate(start), { ...start, atMs: 1 });
  expect(readRate(run(early, 2, 100))?.documentsPerSecond).toBeGreaterThan(99);
});

test('a constant speed is its rate, however long it lasts', () => {
  const rate = readRate(run(startRate(start), 600, 100));
  expect(rate?.documentsPerSecond).toBeCloseTo(100, 6);
  expect(rate?.bytesPerSecond).toBeCloseTo(10_000, 4);
});

test('it follows a change: most of it within a minute, and a stop as well', () => {
  const fast = run(startRate(start), 60, 100);
  const slower = readRate(run(fast, 60, 10))?.documentsPerSecond ?? 0;
  expect(slower).toBeLessThan(100 - 0.8 * 90);
  expect(slower).toBeGreaterThan(10);
  expect(readRate(run(fast, 300, 0))?.documentsPerSecond).toBeLessThan(0.01);
});

test('the time left', () => {
  expect(secondsLeft(101, 10)).toBe(11);
  expect(secondsLeft(0, 0)).toBe(0);
  expect(secondsLeft(5, 0)).toBeUndefined();
  expect(secondsLeft(5, undefined)).toBeUndefined();
});
