import { findShortages } from '..';

const finals = (...counts: readonly (number | undefined)[]) =>
  counts.map((finalDocumentCount, shard) => ({
    shard,
    ...(finalDocumentCount === undefined ? {} : { finalDocumentCount }),
  }));
const held = (...counts: readonly number[]) => new Map(counts.entries());
const split = { shardRoutingMode: 'SPLIT_SHARD', sourceShardCount: 2, targetShardCount: 4 } as const;
const bulk = { shardRoutingMode: 'BULK_API', sourceShardCount: 2, targetShardCount: 3 } as const;

test('as many documents as the final snapshots have: no shortage', () => {
  expect(findShortages(split, finals(5, 7), held(2, 3, 7, 0))).toEqual([]);
  expect(findShortages(bulk, finals(5, 7), held(2, 3, 7))).toEqual([]);
});

test('one too few of one source shard and one too many of another do not cancel out', () => {
  expect(findShortages(split, finals(5, 7), held(2, 2, 7, 1))).toEqual([
    { sourceShard: 0, targetShards: [0, 1], expected: 5, held: 4 },
  ]);
});

test('in BULK_API the target is looked at as a whole', () => {
  expect(findShortages(bulk, finals(5, 7), held(2, 3, 6))).toEqual([
    { sourceShard: undefined, targetShards: [0, 1, 2], expected: 12, held: 11 },
  ]);
});

test('documents that the target refuses are known to be missing, those alone', () => {
  const entry = { id: 'a', version: '1', seqNo: 1, type: 't', reason: 'r' };
  const shards = finals(5, 7).map((shard) => (shard.shard === 1 ? { ...shard, setAside: [entry] } : shard));
  expect(findShortages(split, shards, held(2, 3, 6, 0))).toEqual([]);
  expect(findShortages(bulk, shards, held(2, 3, 6))).toEqual([]);
  expect(findShortages(split, shards, held(2, 2, 6, 0))).toMatchObject([{ sourceShard: 0, held: 4 }]);
  expect(findShortages(split, shards, held(2, 3, 5, 0))).toMatchObject([{ sourceShard: 1, expected: 6 }]);
});

test('more documents are no shortage', () => {
  expect(findShortages(split, finals(5, 7), held(9, 9, 9, 9))).toEqual([]);
});

test('a target shard that was not counted holds nothing', () => {
  expect(findShortages(split, finals(5, 7), held(5, 0))).toMatchObject([{ sourceShard: 1, held: 0 }]);
});

test('where a transform rewrites ids the target is looked at as a whole', () => {
  const transform = { source: '', rewritesIdentity: true };
  expect(findShortages({ ...split, transform }, finals(5, 7), held(9, 1, 1, 1))).toEqual([]);
  expect(findShortages({ ...split, transform }, finals(5, 7), held(9, 0, 1, 1))).toEqual([
    { sourceShard: undefined, targetShards: [0, 1, 2, 3], expected: 12, held: 11 },
  ]);
});

test('a shard of another version: nothing can be said', () => {
  const transform = { source: '', rewritesIdentity: true };
  expect(findShortages(split, finals(5, undefined), held())).toEqual([]);
  expect(
    findShortages({ ...split, transform: { ...transform, rewritesIdentity: false } }, finals(5, 7), held()),
  ).toHaveLength(2);
});
