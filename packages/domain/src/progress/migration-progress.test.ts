import type { ShardRecord } from '@aosc/contract';
import { newShardRecord } from '../shard/new-shard';
import { summarizeProgress } from './migration-progress';

function createShard(total: number, indexed: number, perSecond?: number): ShardRecord {
  return {
    ...newShardRecord('k', 0, 0),
    backfill: {
      status: 'IN_PROGRESS',
      documentsIndexed: indexed,
      bulkRetries: 0,
      rounds: 1,
      currentGap: total - indexed,
      startTimeMillis: 1,
    },
    progress: {
      totalDocuments: total,
      ...(perSecond === undefined ? {} : { documentsPerSecond: perSecond, bytesPerSecond: 100 * perSecond }),
    },
  };
}

test('nothing is known before the first snapshot is open', () => {
  expect(summarizeProgress([newShardRecord('k', 0, 0)], 1)).toBeUndefined();
});

test('sums of all shards, and the time that is left at their common rate', () => {
  const shards = [createShard(100, 100), createShard(300, 100, 10), createShard(200, 0, 10)];
  expect(summarizeProgress(shards, 3)).toEqual({
    shardsKnown: 3,
    totalDocuments: 600,
    documentsIndexed: 200,
    documentsPerSecond: 20,
    bytesPerSecond: 2000,
    remainingSeconds: 20,
  });
});

test('shards that nobody has opened yet count as the average of the others', () => {
  const shards = [createShard(100, 100), createShard(300, 100, 10), newShardRecord('k', 2, 0)];
  expect(summarizeProgress(shards, 3)).toMatchObject({
    shardsKnown: 2,
    totalDocuments: 400,
    remainingSeconds: 40,
  });
});

test('without a rate the time that is left is unknown; with nothing left it is 0', () => {
  expect(summarizeProgress([createShard(10, 0)], 1)).not.toHaveProperty('remainingSeconds');
  expect(summarizeProgress([createShard(10, 10)], 1)).toMatchObject({ remainingSeconds: 0 });
});
