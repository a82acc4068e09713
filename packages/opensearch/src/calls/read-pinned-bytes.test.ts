import { sumPinned } from './read-pinned-bytes';

const segment = (shard: number, name: string, size = 10, prirep = 'p') => ({
  shard: String(shard),
  prirep,
  ip: '127.0.0.1',
  segment: name,
  size: String(size),
});

test('segments that the index still has are pinned by nothing', () => {
  expect(sumPinned([segment(0, '_0')], [segment(0, '_0'), segment(0, '_1')])).toBe(0);
});

test('merged-away segments count once, however many points in time see them', () => {
  const kept = [segment(0, '_0', 7), segment(0, '_1', 5), segment(0, '_0', 7)];
  expect(sumPinned(kept, [segment(0, '_2')])).toBe(12);
});

test('a segment of the same name on another shard, or another copy, is another one', () => {
  expect(sumPinned([segment(0, '_0', 7)], [segment(1, '_0')])).toBe(7);
  expect(sumPinned([segment(0, '_0', 7)], [segment(0, '_0', 7, 'r')])).toBe(7);
});
