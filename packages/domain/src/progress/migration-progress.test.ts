import type { Counters, ShardRecord } from '@aosc/contract';
import { newShardRecord } from '../shard/new-shard';
import { averageCopyRate, showShard, summarizeProgress } from './migration-progress';

type Copying = ShardRecord & { readonly backfill: Counters };

function createShard(total: number, indexed: number, perSecond?: number): Copying {
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

const active = (sourceShardCount: number) => ({ phase: 'ACTIVE', sourceShardCount }) as const;

test('nothing is known before the first snapshot is open', () => {
  expect(summarizeProgress(active(1), [newShardRecord('k', 0, 0)])).toBeUndefined();
});

test('sums of all shards, and the time that is left at their common rate', () => {
  const shards = [createShard(100, 100), createShard(300, 100, 10), createShard(200, 0, 10)];
  expect(summarizeProgress(active(3), shards)).toEqual({
    shardsKnown: 3,
    totalDocuments: 600,
    documentsIndexed: 200,
    copiedPercent: 33,
    documentsPerSecond: 20,
    bytesPerSecond: 2000,
    remainingSeconds: 20,
  });
});

test('shards without a first snapshot count as the average of the others', () => {
  const shards = [createShard(100, 100), createShard(300, 100, 10), newShardRecord('k', 2, 0)];
  expect(summarizeProgress(active(3), shards)).toMatchObject({
    shardsKnown: 2,
    totalDocuments: 400,
    copiedPercent: 33,
    remainingSeconds: 40,
  });
});

test('without a rate the time that is left is unknown; with nothing left it is 0', () => {
  expect(summarizeProgress(active(1), [createShard(10, 0)])).not.toHaveProperty('remainingSeconds');
  expect(summarizeProgress(active(1), [createShard(10, 10)])).toMatchObject({ remainingSeconds: 0 });
});

/** A shard whose worker was taken away in the middle of its copy: the figures of its last moment stay in the record. */
function createCancelled(total: number, indexed: number): Copying {
  const shard = createShard(total, indexed, 10);
  return {
    ...shard,
    phase: 'CANCELLED',
    backfill: {
      ...shard.backfill,
      status: 'FAILED',
      startTimeMillis: 0,
      endTimeMillis: 2000,
    },
    progress: { totalDocuments: total, documentsPerSecond: 10, bytesPerSecond: 100, remainingSeconds: 15 },
  };
}

test.each(['CANCELLING', 'CANCELLED', 'FAILING', 'FAILED'] as const)(
  '%s: the figures stand still where the copy has come to',
  (phase) => {
    const shards = [createCancelled(100, 48), createCancelled(100, 48)];
    const progress = summarizeProgress({ phase, sourceShardCount: 2 }, shards);
    expect(progress).toEqual({
      shardsKnown: 2,
      totalDocuments: 200,
      documentsIndexed: 96,
      copiedPercent: 48,
      documentsPerSecond: 0,
      bytesPerSecond: 0,
      averageDocumentsPerSecond: 48,
    });
  },
);

test('a shard that has ended shows where its copy has come to, and no rate', () => {
  expect(showShard(createCancelled(100, 48))).toEqual({
    progress: { totalDocuments: 100, copiedPercent: 48 },
  });
  expect(showShard(createShard(100, 48, 10)).progress).toMatchObject({
    documentsPerSecond: 10,
    copiedPercent: 48,
  });
});

test('a shard without documents has no share, and a copy is at 100 only when it is complete', () => {
  expect(showShard(createCancelled(0, 0)).progress).toEqual({ totalDocuments: 0 });
  expect(showShard(createShard(100, 100)).progress).toMatchObject({ copiedPercent: 99 });
  const copied = {
    ...createShard(100, 100),
    backfill: { ...createShard(100, 100).backfill, status: 'COMPLETED' },
  } as const;
  expect(showShard(copied).progress).toMatchObject({ copiedPercent: 100 });
  expect(summarizeProgress(active(1), [copied])).toMatchObject({ copiedPercent: 100 });
  expect(summarizeProgress(active(2), [copied])).toMatchObject({ copiedPercent: 50 });
});

test('the average is from the first start to the last end, and unknown while a shard is copied', () => {
  const [early, late] = [createCancelled(100, 40), createCancelled(100, 60)];
  const later = { ...late, backfill: { ...late.backfill, endTimeMillis: 4000 } };
  expect(averageCopyRate([early, later])).toBe(25);
  expect(averageCopyRate([early, createShard(10, 1)])).toBeUndefined();
  expect(averageCopyRate([])).toBeUndefined();
});
