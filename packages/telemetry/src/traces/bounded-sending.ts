import { TraceFlags } from '@opentelemetry/api';
import { ExportResultCode } from '@opentelemetry/core';
import {
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace';
import { within } from '@aosc/signals';
import type { LossReport } from './loss-report';

/** Finished spans that wait to be sent; each is about a kilobyte. */
const mostWaiting = 4_096;
/** Spans in one request to the collector. */
const mostTogether = 512;
const sendEveryMs = 2_000;
/** One request to the collector, its repetitions included. */
export const sendLimitMs = 5_000;
/** How long a shutdown may send. */
const closeLimitMs = 2_000;

export interface BoundedSending {
  readonly processor: SpanProcessor;
  /** Sends what waits, for two seconds at most. Never throws. */
  close(): Promise<void>;
}

/**
 * Sends finished spans in batches. The library's processor silently drops what does not fit, so the bound is here,
 * where the loss can be counted.
 */
export function createBoundedSending(
  exporter: SpanExporter,
  losses: LossReport,
  limits = { mostWaiting, mostTogether, sendEveryMs, closeLimitMs },
): BoundedSending {
  let waiting = 0;
  let underWay = 0;
  let isClosed = false;
  const counted: SpanExporter = {
    export(spans, onResult) {
      waiting -= spans.length;
      underWay += spans.length;
      exporter.export(spans, (result) => {
        underWay -= spans.length;
        if (result.code !== ExportResultCode.SUCCESS && !isClosed)
          losses.note(spans.length, describe(result.error));
        onResult(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
  const batches = new BatchSpanProcessor({
    exporter: counted,
    maxQueueSize: limits.mostWaiting,
    maxExportBatchSize: limits.mostTogether,
    scheduledDelayMillis: limits.sendEveryMs,
    // Later than the exporter's own, which ends the request as well.
    exportTimeoutMillis: 2 * sendLimitMs,
  });
  return {
    processor: {
      onStart: () => undefined,
      onEnd(span: ReadableSpan) {
        if (isClosed || (span.spanContext().traceFlags & TraceFlags.SAMPLED) === 0) return;
        if (waiting >= limits.mostWaiting) {
          losses.note(1, 'the collector takes them too slowly');
          return;
        }
        waiting += 1;
        batches.onEnd(span);
      },
      forceFlush: () => batches.forceFlush(),
      shutdown: () => batches.shutdown(),
    },
    async close() {
      // The losses already include a batch that fails.
      await within(
        limits.closeLimitMs,
        batches.shutdown().catch(() => undefined),
      );
      isClosed = true;
      if (waiting + underWay > 0) losses.note(waiting + underWay, 'the process is ending');
      losses.close();
    },
  };
}

/** The collector's error may be long and quote its answer: message and status are enough. */
function describe(error: Error | undefined): string {
  if (error === undefined) return 'the collector can not be reached';
  const status = 'code' in error && typeof error.code === 'number' ? `${error.code} ` : '';
  return `${status}${error.message}`;
}
