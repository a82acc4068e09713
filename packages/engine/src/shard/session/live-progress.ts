import { shorten, type ShardFlow, type ShardProgress, type ShardRecord } from '@aosc/contract';
import { secondsLeft } from '@aosc/domain';
import type { ThroughputMeter } from './throughput-meter';
import type { ShardPacing } from '../context';
import type { BulkLatencies } from './bulk-latencies';
import type { Pauses } from './pauses';

/** Characters: a status of hundreds of shards has hundreds of reasons. */
const reasonLength = 120;

/** What a worker reports of its work while it runs. */
export interface LiveProgressFigures {
  readonly flow: ShardFlow;
  /** undefined: the job is not a backfill */
  readonly progress: Omit<ShardProgress, 'totalDocuments'> | undefined;
}

/** The record with the present figures. The write that hands the shard back takes them away. */
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
export function describeFlow(
  pacing: ShardPacing,
  job: { readonly latencies: BulkLatencies; readonly pauses: Pauses },
): ShardFlow {
  const { targetBytes, maxDocs, concurrency } = pacing.controller.limits();
  const { pauses, pausedUntilMillis, lastOverload } = job.pauses.figures();
  const latency = job.latencies.read();
  return {
    controller: pacing.controllerType(),
    // The controller works in fractions.
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
