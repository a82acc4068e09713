import { AsyncLocalStorage } from 'node:async_hooks';
import type { RunningRequest } from '@aosc/signals';
import {
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Tracer,
} from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import {
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_SERVER_ADDRESS,
  ATTR_SERVER_PORT,
} from '@opentelemetry/semantic-conventions';
import { nameFailure, toAttributes } from './attributes';
import { linkTo, migrationAttributes, type MigrationTrace } from './migration-trace';
import { Scope, Work } from './scope';
import type { SpanFields, TracedMigration, TracedRecord, TracedWork, Traces } from './traces';

/**
 * OpenSearch or the way to it failed. Any other status is an answer, and the caller knows what its 404 or 409 means.
 */
const isFailure = (status: number): boolean => status >= 500 || status === 429;

interface Parts {
  /** of everything but the migrations' own traces */
  readonly tracer: Tracer;
  readonly migrations: MigrationTrace;
  readonly close: () => Promise<void>;
}

/** Traces that go to a collector. A span follows its work through everything that the work awaits. */
export class SentTraces implements Traces {
  private readonly current = new AsyncLocalStorage<Scope | undefined>();

  constructor(private readonly parts: Parts) {}

  work<T>(
    { name, opaqueId, fields = {} }: TracedWork,
    migration: TracedMigration,
    run: () => Promise<T>,
    describe?: (result: T) => SpanFields,
  ): Promise<T> {
    const span = this.parts.tracer.startSpan(
      name,
      {
        kind: SpanKind.CONSUMER,
        attributes: { ...migrationAttributes(migration), ...toAttributes(fields) },
        links: [linkTo(migration.migrationId)],
      },
      ROOT_CONTEXT,
    );
    return this.runWork(span, opaqueId, run, describe);
  }

  inSpan<T>(
    name: string,
    fields: SpanFields,
    run: () => Promise<T>,
    describe?: (result: T) => SpanFields,
  ): Promise<T> {
    const scope = this.open();
    if (scope?.span.isRecording() !== true || !scope.work.takeSpan()) return run();
    const attributes = toAttributes(fields);
    const span = this.parts.tracer.startSpan(name, { attributes }, scope.context);
    return this.runIn(new Scope(span, scope.work, scope), run, describe);
  }

  start<T extends TracedRecord>(traceparent: unknown, run: () => Promise<T>): Promise<T> {
    const span = this.parts.tracer.startSpan(
      'start migration',
      { kind: SpanKind.SERVER },
      contextOfCaller(traceparent),
    );
    return this.runWork(span, 'aosc-api', run, (record) => {
      const link: Link = linkTo(record.migrationId);
      span.addLink(link);
      span.setAttributes(migrationAttributes(record));
      this.parts.migrations.started(record, span.spanContext());
      return {};
    });
  }

  beginRequest(method: string, template: () => string): RunningRequest | undefined {
    const scope = this.open();
    if (scope === undefined) return undefined;
    const { work } = scope;
    work.requests += 1;
    const own =
      scope.span.isRecording() && work.takeSpan()
        ? this.startRequest(method, template(), scope.context)
        : undefined;
    return {
      traceparent: traceparentOf(own ?? scope.span),
      opaqueId: work.opaqueId,
      end({ status, failure, server }) {
        const isFailed = failure !== undefined || (status !== undefined && isFailure(status));
        if (isFailed) work.requestsFailed += 1;
        if (own === undefined) return;
        if (status !== undefined) own.setAttribute(ATTR_HTTP_RESPONSE_STATUS_CODE, status);
        if (server !== undefined) {
          own.setAttributes({ [ATTR_SERVER_ADDRESS]: server.host, [ATTR_SERVER_PORT]: server.port });
        }
        if (isFailed) markFailed(own, failure ?? String(status));
        own.end();
      },
    };
  }

  remember(): unknown {
    return this.current.getStore();
  }

  runFor<T>(askers: readonly unknown[], run: () => T): T {
    const [only, ...others] = new Set(askers);
    return this.current.run(only instanceof Scope && others.length === 0 ? only : undefined, run);
  }

  moved(before: TracedRecord, after: TracedRecord): void {
    this.parts.migrations.moved(before, after);
  }

  close(): Promise<void> {
    return this.parts.close();
  }

  private open(): Scope | undefined {
    return this.current.getStore()?.stillOpen();
  }

  private startRequest(method: string, template: string, context: Context): Span {
    return this.parts.tracer.startSpan(
      `${method} ${template}`,
      {
        kind: SpanKind.CLIENT,
        attributes: {
          [ATTR_HTTP_REQUEST_METHOD]: method,
          'url.template': template,
          'db.system.name': 'opensearch',
        },
      },
      context,
    );
  }

  private runWork<T>(
    span: Span,
    opaqueId: string,
    run: () => Promise<T>,
    describe?: (result: T) => SpanFields,
  ): Promise<T> {
    const work = new Work(opaqueId);
    return this.runIn(new Scope(span, work), run, describe, () => {
      const { requests, requestsFailed, spansLeftOut } = work;
      span.setAttributes(toAttributes({ requests, requestsFailed, spansLeftOut }));
    });
  }

  private async runIn<T>(
    scope: Scope,
    run: () => Promise<T>,
    describe?: (result: T) => SpanFields,
    beforeEnd?: () => void,
  ): Promise<T> {
    try {
      const result = await this.current.run(scope, run);
      if (describe !== undefined) scope.span.setAttributes(toAttributes(describe(result)));
      return result;
    } catch (error) {
      markFailed(scope.span, nameFailure(error));
      throw error;
    } finally {
      beforeEnd?.();
      scope.end();
    }
  }
}

function markFailed(span: Span, failure: string): void {
  span.setAttribute(ATTR_ERROR_TYPE, failure);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** A caller of the API may already be in a trace. A malformed `traceparent` does not count. */
function contextOfCaller(traceparent: unknown): Context {
  const caller = typeof traceparent === 'string' ? parseTraceParent(traceparent) : null;
  return caller === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...caller, isRemote: true });
}

function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
