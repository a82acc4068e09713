import {
  type BulkLatency,
  shorten,
  type ShardFlow,
  type ShardProgress,
  type ShardRecord,
} from '@aosc/contract';
import { secondsLeft } from '@aosc/domain';
import type { ShardPacing } from '../context';
import type { ThroughputMeter } from './throughput-meter';
import type { PauseFigures } from './pauses';

/** A status of hundreds of shards has hundreds of reasons. */
const reasonLength = 120;

/** What a worker tells of its work while it is at it. */
export interface LiveProgressFigures {
  readonly flow: ShardFlow;
  /** undefined: it is not a backfill */
  readonly progress: Omit<ShardProgress, 'totalDocuments'> | undefined;
}

/** What a job tells of its work under way, written with whatever is written anyway. */
export class LiveProgress {
  private readFigures: ((record: ShardRecord) => LiveProgressFigures) | undefined;
  private applyCounts: (record: ShardRecord) => ShardRecord = (record) => record;

  /** From now on the record shows these figures. */
  measure(read: (record: ShardRecord) => LiveProgressFigures): void {
    this.readFigures = read;
  }

  /**
   * From now on these counts are the record's: absolute numbers, brought in with each write.
   */
  count(apply: (record: ShardRecord) => ShardRecord): void {
    this.applyCounts = apply;
  }

  /** What was counted is in the record, or is not to be counted. */
  stopCounting(): void {
    this.applyCounts = (record) => record;
  }

  /** The record with the counts, and with the figures of the moment; without these when it is handed back: what nobody measures is not shown. */
  show(record: ShardRecord): ShardRecord {
    return withProgressFigures(this.applyCounts(record), this.readFigures?.(record));
  }
}

/**
 * The record with the figures of the moment. They are taken away when the shard is handed back.
 */
export function withProgressFigures(
  record: ShardRecord,
  figures: LiveProgressFigures | undefined,
): ShardRecord {
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

/** The load that one job puts on the cluster at the moment, and how the cluster takes it. */
export interface BulkFlow extends PauseFigures {
  /** bytes that a bulk should have */
  readonly targetBytes: number;
  /** documents that a bulk has at the most */
  readonly maxDocs: number;
  /** windows, and so bulks, that may be under way at once */
  readonly concurrency: number;
  /** undefined: no bulk has ended lately */
  readonly latency: BulkLatency | undefined;
}

export function describeFlow(flow: BulkFlow, pacing: ShardPacing): ShardFlow {
  const { targetBytes, maxDocs, concurrency, latency, pauses, pausedUntilMillis, lastOverload } = flow;
  return {
    controller: pacing.controllerType(),
    // The controller reckons in fractions.
    targetBytes: Math.round(targetBytes),
    maxDocs,
    concurrency,
    pageSize: pacing.pages.size(pacing.pageSizeLimit()),
    pauses,
    limitedBy: pacing.controller.limitedBy(),
    ...(latency !== undefined && { bulkLatency: latency }),
    ...(pausedUntilMillis !== undefined && { pausedUntilMillis }),
    ...(lastOverload !== undefined && {
      lastOverload: { ...lastOverload, reason: shorten(lastOverload.reason, reasonLength) },
    }),
  };
}

/** @param left documents that are not copied yet */
export function describeRate(meter: ThroughputMeter, left: number): Omit<ShardProgress, 'totalDocuments'> {
  const rate = meter.read();
  if (rate === undefined) return {};
  const remainingSeconds = secondsLeft(left, rate.documentsPerSecond);
  return {
    documentsPerSecond: Math.round(rate.documentsPerSecond),
    bytesPerSecond: Math.round(rate.bytesPerSecond),
    ...(remainingSeconds !== undefined && { remainingSeconds }),
  };
}
