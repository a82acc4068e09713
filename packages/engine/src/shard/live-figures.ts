import { shorten, type ShardFlow, type ShardProgress, type ShardRecord } from '@aosc/contract';
import { secondsLeft } from '@aosc/domain';
import type { ShardPacing } from './context';
import type { CopyMeter } from './copy-meter';
import type { ShardWriter } from './shard-writer';

/** A status of hundreds of shards has hundreds of reasons. */
const reasonLength = 120;

/** What a worker tells of its work while it is at it. */
export interface LiveFigures {
  readonly flow: ShardFlow;
  /** undefined: it is not a backfill */
  readonly progress: Omit<ShardProgress, 'totalDocuments'> | undefined;
}

/**
 * The record with the figures of the moment. They are written with what is written anyway, and taken away when the
 * shard is handed back: what nobody measures is not shown.
 */
export function withLiveFigures(record: ShardRecord, figures: LiveFigures | undefined): ShardRecord {
  const { flow: _flow, progress, ...rest } = record;
  const isOwned = record.writer.owner !== undefined;
  return {
    ...rest,
    ...(progress !== undefined && {
      progress: { totalDocuments: progress.totalDocuments, ...(isOwned && figures?.progress) },
    }),
    ...(isOwned && figures !== undefined && { flow: figures.flow }),
  };
}

export function describeFlow(writer: ShardWriter, pacing: ShardPacing): ShardFlow {
  const { targetBytes, maxDocs, concurrency, pauses, pausedUntilMillis, lastOverload } = writer.flow();
  return {
    controller: pacing.controllerType(),
    // The controller reckons in fractions.
    targetBytes: Math.round(targetBytes),
    maxDocs,
    concurrency,
    pageSize: pacing.pages.size(pacing.pageSizeLimit()),
    pauses,
    ...(pausedUntilMillis !== undefined && { pausedUntilMillis }),
    ...(lastOverload !== undefined && {
      lastOverload: { ...lastOverload, reason: shorten(lastOverload.reason, reasonLength) },
    }),
  };
}

/** @param left documents that are not copied yet */
export function describeRate(meter: CopyMeter, left: number): Omit<ShardProgress, 'totalDocuments'> {
  const rate = meter.read();
  if (rate === undefined) return {};
  const remainingSeconds = secondsLeft(left, rate.documentsPerSecond);
  return {
    documentsPerSecond: Math.round(rate.documentsPerSecond),
    bytesPerSecond: Math.round(rate.bytesPerSecond),
    ...(remainingSeconds !== undefined && { remainingSeconds }),
  };
}
