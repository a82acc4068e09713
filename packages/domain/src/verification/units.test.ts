import { isInPart, verifyGroups } from './units';

const counts = { sourceShardCount: 2, targetShardCount: 4 };

test('shards that can hold the same documents are one group', () => {
  expect(verifyGroups({ ...counts, shardRoutingMode: 'SPLIT_SHARD' })).toEqual([
    { sourceShards: [0], targetShards: [0, 1] },
    { sourceShards: [1], targetShards: [2, 3] },
  ]);
  expect(verifyGroups({ ...counts, shardRoutingMode: 'BULK_API' })).toEqual([
    { sourceShards: [0, 1], targetShards: [0, 1, 2, 3] },
  ]);
  const transform = { source: '', rewritesIdentity: true };
  expect(verifyGroups({ ...counts, shardRoutingMode: 'SPLIT_SHARD', transform })).toHaveLength(1);
});

test('each document is in exactly one part', () => {
  for (const key of ['-a', '-b', '1:xa', '-\ud83d']) {
    const parts = [0, 1, 2].filter((part) => isInPart(key, part, 3));
    expect(parts).toHaveLength(1);
    expect(isInPart(key, 0, 1)).toBe(true);
  }
});
