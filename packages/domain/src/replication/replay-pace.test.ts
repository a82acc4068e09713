import {
  alignRest,
  isCloseForBlock,
  isSnapshotOld,
  needsRound,
  type ReplayNeed,
  restOfConverged,
} from './replay-pace';

const pace = { leastMs: 1000, longestMs: 10_000 };
const need = (given: Partial<ReplayNeed>): ReplayNeed => ({
  gap: 0,
  threshold: 1000,
  isBlockNear: false,
  ageMs: 5000,
  ...given,
});

test.each([
  ['nothing was written', {}, false],
  ['little was written', { gap: 500 }, false],
  ['much was written', { gap: 501 }, true],
  ['more than the threshold was written', { gap: 11, threshold: 10 }, true],
  ['a threshold of zero', { gap: 1, threshold: 0 }, true],
  ['little, and the block is near', { gap: 50, isBlockNear: true }, false],
  ['more, and the block is near', { gap: 51, isBlockNear: true }, true],
  ['little, under an old snapshot', { gap: 1, ageMs: 60_000 }, true],
  ['nothing, under an old snapshot', { ageMs: 600_000 }, false],
])('%s', (_, given, expected) => {
  expect(needsRound(need(given), pace)).toBe(expected);
});

test('without a rest each change leads to a round', () => {
  expect(needsRound(need({ gap: 1 }), { leastMs: 100, longestMs: 100 })).toBe(true);
  expect(restOfConverged(need({ gap: 1 }), { leastMs: 100, longestMs: 0 })).toBe(100);
});

test.each([
  ['nothing is written', { gap: 0 }, 10_000],
  ['it falls behind slowly', { gap: 10, ageMs: 10_000 }, 10_000],
  ['it will need a round in four seconds', { gap: 100, ageMs: 1000 }, 4000],
  ['it needs one already', { gap: 900, ageMs: 1000 }, 1000],
  ['it will need one at once', { gap: 499, ageMs: 1000 }, 1000],
  ['the block is near', { gap: 10, ageMs: 500, isBlockNear: true }, 2000],
  ['the snapshot is of this moment', { gap: 10, ageMs: 0 }, 1000],
])('%s: the rest', (_, given, expected) => {
  expect(restOfConverged(need(given), pace)).toBeCloseTo(expected);
});

test('close enough for the block is what a round would hardly make less', () => {
  expect(isCloseForBlock(50, 1000)).toBe(true);
  expect(isCloseForBlock(51, 1000)).toBe(false);
  expect(isCloseForBlock(1, 0)).toBe(false);
});

test('rests that began at different times end together', () => {
  const ends = [0, 130, 499].map((began) => began + alignRest(1_000_000 + began, 5000 - began));
  expect(ends).toEqual([5000, 5000, 5000]);
  expect(alignRest(1_000_001, 10_000)).toBe(10_499);
});

test('a short rest stays as it is', () => {
  expect(alignRest(1_000_123, 1999)).toBe(1999);
  expect(alignRest(1_000_123, 0)).toBe(0);
});

test.each([
  [3_599_999, false],
  [3_600_000, true],
])('a snapshot of %i ms is exchanged although nothing was written: %s', (ageMs, isOld) => {
  expect(isSnapshotOld({ ageMs })).toBe(isOld);
});
