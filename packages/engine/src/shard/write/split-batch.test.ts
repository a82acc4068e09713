import { firstBatch } from './split-batch';

const sizeOf = (bytes: number): number => bytes;

test.each([
  { items: [1, 1, 1, 1, 1], maxDocs: 2, maxBytes: 100, batch: [1, 1] },
  { items: [3, 3, 3], maxDocs: 9, maxBytes: 6, batch: [3, 3] },
  { items: [9, 1, 9], maxDocs: 9, maxBytes: 5, batch: [9] },
  { items: [1, 9], maxDocs: 9, maxBytes: 5, batch: [1] },
  { items: [1, 1], maxDocs: 2, maxBytes: 2, batch: [1, 1] },
  { items: [], maxDocs: 1, maxBytes: 1, batch: [] },
])('of $items with $maxDocs and $maxBytes bytes at the most: $batch', ({ items, batch, ...limits }) => {
  expect(firstBatch(items, sizeOf, limits)).toEqual(batch);
});

test('a list that fits is not copied', () => {
  const items = [1, 2];
  expect(firstBatch(items, sizeOf, { maxDocs: 2, maxBytes: 3 })).toBe(items);
});
