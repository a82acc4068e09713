import { firstBatch, splitBatch } from './split-batch';

const sizeOf = (bytes: number): number => bytes;

test.each([
  { items: [1, 1, 1, 1, 1], maxDocs: 2, maxBytes: 100, batches: [[1, 1], [1, 1], [1]] },
  { items: [3, 3, 3], maxDocs: 9, maxBytes: 6, batches: [[3, 3], [3]] },
  { items: [9, 1, 9], maxDocs: 9, maxBytes: 5, batches: [[9], [1], [9]] },
  { items: [1, 1], maxDocs: 2, maxBytes: 2, batches: [[1, 1]] },
  { items: [], maxDocs: 1, maxBytes: 1, batches: [] },
])('$items in batches of $maxDocs and $maxBytes bytes at the most', ({ items, batches, ...limits }) => {
  expect([...splitBatch(items, sizeOf, () => limits)]).toEqual(batches);
});

test('the limits are read before each batch', () => {
  let maxDocs = 4;
  const batches = splitBatch([1, 2, 3, 4, 5, 6, 7], sizeOf, () => ({ maxDocs, maxBytes: 100 }));
  expect(batches.next().value).toEqual([1, 2, 3, 4]);
  maxDocs = 2;
  expect([...batches]).toEqual([[5, 6], [7]]);
});

test('a list that fits is not copied', () => {
  const items = [1, 2];
  expect(firstBatch(items, sizeOf, { maxDocs: 2, maxBytes: 3 })).toBe(items);
});
