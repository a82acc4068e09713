import { type Context, ROOT_CONTEXT, type Span, trace } from '@opentelemetry/api';

/** Spans of one trace beside its first; a backfill may send a million bulks. */
const mostSpans = 1_000;

/** What all spans of one trace of this process share. */
export class Work {
  requests = 0;
  requestsFailed = 0;
  spansLeftOut = 0;
  private spansLeft: number;

  /** @param opaqueId `X-Opaque-Id` of its requests that have none */
  constructor(
    readonly opaqueId: string,
    spansAtMost = mostSpans,
  ) {
    this.spansLeft = spansAtMost;
  }

  /** @returns whether there is room for a further span */
  takeSpan(): boolean {
    if (this.spansLeft === 0) {
      this.spansLeftOut += 1;
      return false;
    }
    this.spansLeft -= 1;
    return true;
  }
}

/** A span that work runs in: everything that the work awaits finds the span again. */
export class Scope {
  private isOver = false;
  readonly context: Context;

  constructor(
    readonly span: Span,
    readonly work: Work,
    private readonly outer?: Scope,
  ) {
    this.context = trace.setSpan(ROOT_CONTEXT, span);
  }

  end(): void {
    this.isOver = true;
    this.span.end();
  }

  /** Work that started in a span may outlive it; it then belongs to the enclosing span, or to none. */
  stillOpen(): Scope | undefined {
    return this.isOver ? this.outer?.stillOpen() : this;
  }
}
