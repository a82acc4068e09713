import { hostname } from 'node:os';
import { serviceVersion } from '@aosc/contract';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { ATTR_SERVICE_NAME, ATTR_SERVICE_VERSION } from '@opentelemetry/semantic-conventions';
import type { Logger } from '../logger';
import { createBoundedSending, sendLimitMs } from './bounded-sending';
import { createLossReport } from './loss-report';
import { ChosenIds, MigrationTrace } from './migration-trace';
import { SentTraces } from './sent-traces';
import type { TracedApp, Traces, TracesOptions } from './traces';

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
