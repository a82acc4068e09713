import { hostname } from 'node:os';
import { serviceVersion } from '@aosc/contract';
import { within } from '@aosc/signals';
import { TraceFlags } from '@opentelemetry/api';
import { ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { ATTR_SERVICE_NAME, ATTR_SERVICE_VERSION } from '@opentelemetry/semantic-conventions';
import { ChosenIds, MigrationTrace } from './migration-trace';
import { SentTraces } from './sent-traces';
import type { TracedApp, Traces, TracesOptions } from './traces';
import { cutText } from '../cut-text';
import type { Logger } from '../logger';

const reportEveryMs = 60_000;
const longestReason = 200;

/**
 * Counts lost spans and logs their number: the first at once, the others together, once a minute.
 * @param everyMs least time between two lines of the log
 */
export function createLossReport(logger: Pick<Logger, 'warn'>, everyMs = reportEveryMs) {
  let lost = 0;
  let lastReason = '';
  let timer: NodeJS.Timeout | undefined;
  const report = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (lost === 0) return;
    const spans = lost;
    lost = 0;
    logger.warn('spans of traces were lost: the collector did not take them, and migrations go on', {
      event: 'traces_lost',
      spans,
      reason: lastReason,
    });
    timer = setTimeout(report, everyMs).unref();
  };
  return {
    note(spans: number, reason: string): void {
      lost += spans;
      lastReason = cutText(reason, longestReason);
      if (timer === undefined) report();
    },
    /** Logs what was counted and not logged yet. */
    close(): void {
      report();
      clearTimeout(timer);
    },
  };
}
export type LossReport = ReturnType<typeof createLossReport>;

/** Finished spans that wait to be sent; each is about a kilobyte. */
const mostWaiting = 4_096;
/** Spans in one request to the collector. */
const mostTogether = 512;
const sendEveryMs = 2_000;
/** One request to the collector, its repetitions included. */
const sendLimitMs = 5_000;
/** How long a shutdown may send. */
const closeLimitMs = 2_000;

/**
 * Sends finished spans in batches. The library's processor silently drops what does not fit, so the bound is here,
 * where the loss can be counted.
 */
export function createBoundedSending(
  exporter: SpanExporter,
  losses: LossReport,
  limits = { mostWaiting, mostTogether, sendEveryMs, closeLimitMs },
) {
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
    } satisfies SpanProcessor,
    /** Sends what waits, for two seconds at most. Never throws. */
    async close(): Promise<void> {
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

/** Requests to the collector at once: those of a shutdown, which do not wait for each other. */
const mostRequests = 10;
/** An attribute is at most as long as a migration's id is. */
const spanLimits = { attributeCountLimit: 32, attributeValueLengthLimit: 1_024, linkCountLimit: 4 };

/**
 * Traces that are sent. This registers nothing globally, so no other library of the process finds them.
 * @param exporter default: OTLP over HTTP, as JSON
 */
export function openSentTraces(
  app: TracedApp,
  options: TracesOptions,
  logger: Logger,
  exporter = createExporter(options.tracesUrl),
): Traces {
  const sending = createBoundedSending(exporter, createLossReport(logger));
  const common = { resource: describeProcess(app), spanProcessors: [sending.processor], spanLimits };
  const bySample = new TraceIdRatioBasedSampler(options.tracesSampleRatio);
  const works = new TracerProvider({
    ...common,
    sampler: new ParentBasedSampler({
      root: bySample,
      // We bound the load, whatever a caller of the API samples.
      remoteParentSampled: bySample,
      remoteParentNotSampled: new AlwaysOffSampler(),
    }),
  });
  const ids = new ChosenIds();
  const migrations = new TracerProvider({ ...common, sampler: new AlwaysOnSampler(), idGenerator: ids });
  return new SentTraces({
    tracer: works.getTracer('aosc', serviceVersion),
    migrations: new MigrationTrace(migrations.getTracer('aosc', serviceVersion), ids),
    close: () => sending.close(),
  });
}

function createExporter(url: string): SpanExporter {
  return new OTLPTraceExporter({
    url: `${url}/v1/traces`,
    timeoutMillis: sendLimitMs,
    concurrencyLimit: mostRequests,
  });
}

/** Includes what `OTEL_RESOURCE_ATTRIBUTES` adds, for example the environment's name. */
function describeProcess(app: TracedApp): Resource {
  return resourceFromAttributes({
    [ATTR_SERVICE_NAME]: `aosc-${app}`,
    [ATTR_SERVICE_VERSION]: serviceVersion,
    'service.namespace': 'aosc',
    'host.name': hostname(),
    'process.pid': process.pid,
  }).merge(detectResources({ detectors: [envDetector] }));
}
