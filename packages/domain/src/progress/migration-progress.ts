import type { MigrationProgress, MigrationRecord, ShardProgress, ShardRecord } from '@aosc/contract';
import { isAbortingPhase, isTerminalPhase, isTerminalShardPhase } from '../phases';
import { secondsLeft } from './copy-rate';

/** A shard's share of the copy in percent, 100 only when the copy is complete; undefined: there is nothing to copy. */
function percentOf(copied: number, total: number, isComplete: boolean): number | undefined {
  if (total === 0) return undefined;
  if (isComplete) return 100;
  return Math.min(99, Math.floor((100 * copied) / total));
}

const isCopied = ({ backfill }: ShardRecord): boolean => backfill?.status === 'COMPLETED';

/** What a shard shows of its work. A worker that lost its shard leaves the figures of its last moment in the record. */
export function showShard(shard: ShardRecord): Pick<ShardRecord, 'flow'> & {
  readonly progress?: ShardProgress & { readonly copiedPercent?: number };
} {
  const { progress, flow, phase, backfill } = shard;
  const hasEnded = isTerminalShardPhase(phase);
  if (progress === undefined) return hasEnded || flow === undefined ? {} : { flow };
  const { totalDocuments, ...rates } = progress;
  const copiedPercent = percentOf(backfill?.documentsIndexed ?? 0, totalDocuments, isCopied(shard));
  return {
    progress: {
      totalDocuments,
      ...(copiedPercent !== undefined && { copiedPercent }),
      ...(!hasEnded && rates),
    },
    ...(!hasEnded && flow !== undefined && { flow }),
  };
}

/** Documents a second from the first shard's start to the last one's end; undefined: shards are still copying. */
export function averageCopyRate(shards: readonly ShardRecord[]): number | undefined {
  let documents = 0;
  let [from, to] = [Infinity, -Infinity];
  for (const { backfill, transitionHistory } of shards) {
    if (backfill === undefined) continue;
    const copying = transitionHistory.findLast(({ phase }) => phase === 'BACKFILLING');
    const end = backfill.endTimeMillis ?? copying?.endTimeMillis;
    if (end === undefined) return undefined;
    documents += backfill.documentsIndexed ?? 0;
    from = Math.min(from, backfill.startTimeMillis);
    to = Math.max(to, end);
  }
  return to > from ? Math.round((1000 * documents) / (to - from)) : undefined;
}

/**
 * The backfill of all shards together. The number of a shard's documents is known when its first snapshot is opened;
 * until then the shard counts as the average of the known ones for the share and the time left.
 * @returns undefined while no shard's number is known
 */
export function summarizeProgress(
  { phase, sourceShardCount }: Pick<MigrationRecord, 'phase' | 'sourceShardCount'>,
  shards: readonly ShardRecord[],
): MigrationProgress | undefined {
  const isOver = isTerminalPhase(phase) || isAbortingPhase(phase);
  let known = 0;
  let total = 0;
  let indexed = 0;
  let left = 0;
  let documentsPerSecond = 0;
  let bytesPerSecond = 0;
  for (const shard of shards) {
    const { backfill } = shard;
    if (shard.progress === undefined) continue;
    known++;
    total += shard.progress.totalDocuments;
    indexed += backfill?.documentsIndexed ?? 0;
    left += backfill?.currentGap ?? 0;
    if (isOver) continue;
    documentsPerSecond += shard.progress.documentsPerSecond ?? 0;
    bytesPerSecond += shard.progress.bytesPerSecond ?? 0;
  }
  if (known === 0) return undefined;
  const isComplete = shards.length === sourceShardCount && shards.every(isCopied);
  const expected = left + ((sourceShardCount - known) * total) / known;
  const remainingSeconds = isOver && !isComplete ? undefined : secondsLeft(expected, documentsPerSecond);
  const average = averageCopyRate(shards);
  return {
    shardsKnown: known,
    totalDocuments: total,
    documentsIndexed: indexed,
    copiedPercent:
      percentOf(indexed, (total * sourceShardCount) / known, isComplete) ?? (isComplete ? 100 : 0),
    documentsPerSecond,
    bytesPerSecond,
    ...(average !== undefined && { averageDocumentsPerSecond: average }),
    ...(remainingSeconds === undefined ? {} : { remainingSeconds }),
  };
}
