import { spansOf } from './spans';

const shard = (number: number, maxSeqNo: number) => ({ shard: number, pitId: `p${number}`, maxSeqNo });
const numbers = (...args: Parameters<typeof spansOf>) =>
  spansOf(...args).map(({ shard: of, pitId, selection: { from, to } }) => `${of} ${pitId} ${from} ${to}`);

test('one large shard is read in as many spans as are read at once, to its last number', () => {
  expect(numbers([shard(3, 400_001)], 4, undefined)).toEqual([
    '3 p3 0 100001',
    '3 p3 100001 200002',
    '3 p3 200002 300003',
    '3 p3 300003 400002',
  ]);
});

test('shards share what is read at once, and none is left out where they are more', () => {
  expect(numbers([shard(0, 199_999), shard(1, 9)], 4, undefined)).toEqual([
    '0 p0 0 100000',
    '0 p0 100000 200000',
    '1 p1 0 10',
  ]);
  expect(numbers([shard(0, 1e6), shard(1, 1e6), shard(2, 1e6)], 2, undefined)).toHaveLength(3);
});

test('a later pass begins behind the one before, and nothing above the last number is read', () => {
  expect(numbers([shard(0, 20)], 4, { 0: 9 })).toEqual(['0 p0 10 21']);
  expect(numbers([shard(0, 20)], 4, { 0: 9 }, { 0: 12 })).toEqual(['0 p0 10 13']);
  expect(numbers([shard(0, 20)], 4, { 1: 9 }, { 1: 12 })).toEqual(['0 p0 0 21']);
});

test('a shard without operations, or with none since, is not read', () => {
  expect(numbers([shard(0, -1)], 4, undefined)).toEqual([]);
  expect(numbers([shard(0, 9)], 4, { 0: 9 })).toEqual([]);
  expect(numbers([shard(0, 9)], 4, undefined, { 0: -1 })).toEqual([]);
});
