import type { MigrationProgress, ShardRecord } from '@aosc/contract';
import { secondsLeft } from './copy-rate';

/**
 * The backfill of all shards together. A shard's documents are known when its first snapshot is opened; for the time
 * that is left, those of the others count as the average of the known ones.
 * @returns undefined while nothing is known
 */
export function summarizeProgress(
  shards: readonly ShardRecord[],
  shardCount: number,
): MigrationProgress | undefined {
  let known = 0;
  let total = 0;
  let indexed = 0;
  let left = 0;
  let documentsPerSecond = 0;
  let bytesPerSecond = 0;
  for (const { progress, backfill } of shards) {
    if (progress === undefined) continue;
    known++;
    total += progress.totalDocuments;
    indexed += backfill?.documentsIndexed ?? 0;
    left += backfill?.currentGap ?? 0;
    documentsPerSecond += progress.documentsPerSecond ?? 0;
    bytesPerSecond += progress.bytesPerSecond ?? 0;
  }
  if (known === 0) return undefined;
  const expected = left + ((shardCount - known) * total) / known;
  const remainingSeconds = secondsLeft(expected, documentsPerSecond);
  return {
    shardsKnown: known,
    totalDocuments: total,
    documentsIndexed: indexed,
    documentsPerSecond,
    bytesPerSecond,
    ...(remainingSeconds === undefined ? {} : { remainingSeconds }),
  };
}
