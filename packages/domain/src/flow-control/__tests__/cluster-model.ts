import type { BulkController } from '../controller';

/** A modelled cluster at one moment. */
export interface Conditions {
  readonly bytesPerSecond: number;
  /** time of a bulk however small */
  readonly overheadMs: number;
  /** bytes in flight beyond which the cluster works ever less efficiently */
  readonly kneeBytes: number;
  /** bytes in flight beyond which it refuses */
  readonly limitBytes: number;
  readonly bytesPerDoc: number;
}

/** One round: as many bulks as the controller allows at once, all answered alike. */
export interface Round {
  readonly documents: number;
  readonly maxBytes: number;
  readonly concurrency: number;
  readonly bytes: number;
  readonly elapsedMs: number;
  readonly refused: boolean;
  readonly pauseMs: number;
  readonly failed: string | undefined;
}

function answer(conditions: Conditions, inFlightBytes: number): { refused: boolean; elapsedMs: number } {
  if (inFlightBytes > conditions.limitBytes) return { refused: true, elapsedMs: 5 };
  const excess = Math.max(0, inFlightBytes - conditions.kneeBytes) / conditions.kneeBytes;
  const workMs = (inFlightBytes / conditions.bytesPerSecond) * 1000 * (1 + excess);
  return { refused: false, elapsedMs: conditions.overheadMs + workMs };
}

/** Lets a controller work for a number of rounds. */
export function simulate(
  controller: BulkController,
  conditionsAt: (round: number) => Conditions,
  rounds: number,
): Round[] {
  return Array.from({ length: rounds }, (_, round) => {
    const conditions = conditionsAt(round);
    const limits = controller.limits();
    const fitting = Math.max(1, Math.floor(limits.maxBytes / conditions.bytesPerDoc));
    const documents = Math.min(limits.maxDocs, fitting);
    const bytes = documents * conditions.bytesPerDoc;
    const inFlightBytes = bytes * limits.concurrency;
    const { refused, elapsedMs } = answer(conditions, inFlightBytes);
    const decisions = Array.from({ length: limits.concurrency }, () =>
      controller.observe({
        documents,
        bytes,
        elapsedMs,
        tookMs: elapsedMs,
        ticket: limits.ticket,
        ...(refused ? { kind: 'overload', reason: 'queue full', attempts: 1 } : { kind: 'success' }),
      }),
    );
    return {
      documents,
      maxBytes: limits.maxBytes,
      concurrency: limits.concurrency,
      bytes: inFlightBytes,
      elapsedMs,
      refused,
      pauseMs: Math.max(...decisions.map((decision) => (decision.action === 'pause' ? decision.pauseMs : 0))),
      failed: decisions
        .map((decision) => (decision.action === 'fail' ? decision.reason : undefined))
        .find(Boolean),
    };
  });
}

/** Bytes per second over some rounds; pauses count, refused bytes don't. */
export function goodput(rounds: readonly Round[]): number {
  const bytes = rounds.reduce((sum, round) => sum + (round.refused ? 0 : round.bytes), 0);
  const ms = rounds.reduce((sum, round) => sum + round.elapsedMs + round.pauseMs, 0);
  return (bytes / ms) * 1000;
}

/** The best that any size and any number in flight within these bounds gets out of the modelled cluster. */
export function optimum(
  conditions: Conditions,
  bounds: { readonly maxDocs: number; readonly maxBytes: number; readonly concurrency: number },
): number {
  const most =
    Math.min(bounds.maxDocs, Math.floor(bounds.maxBytes / conditions.bytesPerDoc)) * bounds.concurrency;
  let best = 0;
  for (let documents = 1; documents <= most; documents = Math.ceil(documents * 1.02)) {
    const bytes = documents * conditions.bytesPerDoc;
    const { refused, elapsedMs } = answer(conditions, bytes);
    if (!refused) best = Math.max(best, (bytes / elapsedMs) * 1000);
  }
  return best;
}
