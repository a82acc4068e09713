import type { MigrationRecord } from '@aosc/contract';
import { type Attribution, type RequestTrace, toNobody } from '@aosc/signals';

/** What a span shows beside its name and times. Never contents or ids of documents, and never a credential. */
export type SpanFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** A migration as traces name it. */
export type TracedMigration = Pick<MigrationRecord, 'migrationId' | 'sourceIndex' | 'targetIndex'>;

/** As much of a migration's record as its own trace shows. */
export interface TracedRecord extends TracedMigration {
  readonly alias: string;
  readonly phase: string;
  readonly startTimeMillis: number;
  readonly transitionHistory: readonly {
    readonly phase: string;
    readonly startTimeMillis: number;
    readonly endTimeMillis?: number;
  }[];
}

/** Work on one migration that is a trace of its own. */
export interface TracedWork {
  readonly name: string;
  /** `X-Opaque-Id` of its requests that have none */
  readonly opaqueId: string;
  readonly fields?: SpanFields;
}

/** What the parts of a process report to its traces. A request to OpenSearch belongs to the work that runs. */
export interface Traces extends Attribution, RequestTrace {
  /**
   * Runs work on a migration as a trace of its own, linked to the migration's. What the work awaits belongs to it.
   * @param describe further fields, from the result
   */
  work<T>(
    work: TracedWork,
    migration: TracedMigration,
    run: () => Promise<T>,
    describe?: (result: T) => SpanFields,
  ): Promise<T>;
  /** Runs a part of the caller's work as a span of its own; outside of any work it just runs. */
  inSpan<T>(
    name: string,
    fields: SpanFields,
    run: () => Promise<T>,
    describe?: (result: T) => SpanFields,
  ): Promise<T>;
  /**
   * Runs a request to the API that starts a migration, as a span of the caller's trace or as a trace of its own.
   * @param traceparent header of the request
   */
  start<T extends TracedRecord>(traceparent: unknown, run: () => Promise<T>): Promise<T>;
  /** A change of phase was written: the old phase gets its span, and at the end the migration. */
  moved(before: TracedRecord, after: TracedRecord): void;
  /** Sends the remaining spans, for two seconds at most. Never throws. */
  close(): Promise<void>;
}

/** No traces: everything just runs. */
export const noTraces: Traces = {
  ...toNobody,
  work: (_work, _migration, run) => run(),
  inSpan: (_name, _fields, run) => run(),
  start: (_traceparent, run) => run(),
  beginRequest: () => undefined,
  moved: () => undefined,
  close: () => Promise.resolve(),
};

export type TracedApp = 'api' | 'worker' | 'scheduler';

export interface TracesOptions {
  /** of the collector, without `/v1/traces`; empty: no traces */
  readonly tracesUrl: string;
  /** 0 to 1 */
  readonly tracesSampleRatio: number;
}
