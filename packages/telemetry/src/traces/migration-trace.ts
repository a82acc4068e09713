import {
  type Attributes,
  type Link,
  ROOT_CONTEXT,
  type SpanContext,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer,
} from '@opentelemetry/api';
import { type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace';
import { toAttributes } from './attributes';
import { identifyMigration, identifyPhase, type SpanIdentity } from './trace-identity';
import type { TracedMigration, TracedRecord } from './traces';

/** Gives the next span chosen ids instead of random ones. */
export class ChosenIds implements IdGenerator {
  private readonly random = new RandomIdGenerator();
  private next: SpanIdentity | undefined;

  /** @param start starts one span, at once */
  use<T>(identity: SpanIdentity, start: () => T): T {
    this.next = identity;
    try {
      return start();
    } finally {
      this.next = undefined;
    }
  }

  generateTraceId = (): string => this.next?.traceId ?? this.random.generateTraceId();
  generateSpanId = (): string => this.next?.spanId ?? this.random.generateSpanId();
}

/** The context of a migration's first span, which is only sent when the migration has ended. */
function contextOfMigration(migrationId: string): SpanContext {
  return { ...identifyMigration(migrationId), traceFlags: TraceFlags.SAMPLED };
}

export function migrationAttributes(migration: TracedMigration): Attributes {
  const { migrationId, sourceIndex, targetIndex } = migration;
  return toAttributes({ migrationId, sourceIndex, targetIndex });
}

/**
 * The spans of a migration's own trace. The process that records the end of a phase creates its span then, so that no
 * process has to live as long as a phase.
 */
export class MigrationTrace {
  /** @param tracer takes its names from `ids`, and samples everything */
  constructor(
    private readonly tracer: Tracer,
    private readonly ids: ChosenIds,
  ) {}

  /** The request that started it, which has a trace of its own. */
  started(record: TracedRecord, request: SpanContext): void {
    this.tracer
      .startSpan(
        'start accepted',
        {
          startTime: record.startTimeMillis,
          attributes: migrationAttributes(record),
          links: [{ context: request }],
        },
        this.contextOf(record),
      )
      .end();
  }

  /** Creates the span of the phase that was left, and at the end that of the whole migration. */
  moved(before: TracedRecord, after: TracedRecord): void {
    const [left, entered] = [before.transitionHistory.at(-1), after.transitionHistory.at(-1)];
    if (left === undefined || entered === undefined || before.phase === after.phase) return;
    const { migrationId } = after;
    const identity = identifyPhase(migrationId, left.phase, left.startTimeMillis);
    const fields = { phase: left.phase, nextPhase: entered.phase };
    const phase = this.ids.use(identity, () =>
      this.tracer.startSpan(
        `phase ${left.phase}`,
        {
          startTime: left.startTimeMillis,
          attributes: { ...migrationAttributes(after), ...toAttributes(fields) },
        },
        this.contextOf(after),
      ),
    );
    phase.end(entered.startTimeMillis);
    // A terminal phase begins and ends at once.
    if (entered.endTimeMillis === undefined) return;
    const whole = this.ids.use(identifyMigration(migrationId), () =>
      this.tracer.startSpan(
        'migration',
        {
          startTime: after.startTimeMillis,
          attributes: {
            ...migrationAttributes(after),
            ...toAttributes({ phase: entered.phase, alias: after.alias }),
          },
        },
        ROOT_CONTEXT,
      ),
    );
    if (entered.phase === 'FAILED') whole.setStatus({ code: SpanStatusCode.ERROR });
    whole.end(entered.startTimeMillis);
  }

  private contextOf({ migrationId }: TracedRecord) {
    return trace.setSpanContext(ROOT_CONTEXT, contextOfMigration(migrationId));
  }
}

/** For the traces of a migration's jobs and requests. */
export function linkTo(migrationId: string): Link {
  return { context: contextOfMigration(migrationId) };
}
