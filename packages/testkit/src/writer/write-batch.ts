import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpClient } from '../http/http-client';
import type { WriterModel } from '../model';
import {
  type AcknowledgedOperation,
  recordAcknowledgement,
  recordAppliedEarlier,
  recordUnknown,
} from './acknowledgements';
import type { Operation } from './operation';
import { attempt, type Outcome } from './outcome';
import type { ShardLookup } from './shard-lookup';
import type { WriterTally } from './tally';

export interface BatchContext {
  readonly http: HttpClient;
  readonly alias: string;
  readonly model: WriterModel;
  readonly shards: ShardLookup;
  readonly tally: WriterTally;
  /** how long one operation is tried before its outcome is given up as unknown */
  readonly giveUpAfterMs: number;
  readonly signal: AbortSignal;
  readonly retire: (id: string) => void;
  readonly mayRepeat: (sentAtMillis: number, acknowledgedAtMillis: number) => boolean;
  readonly onAcknowledged: ((acknowledged: AcknowledgedOperation) => void) | undefined;
}

interface Pending {
  readonly operation: Operation;
  /** an attempt of unknown outcome was made */
  maybeApplied: boolean;
}

/** As an application with a short back-off: the pause that a writer sees is not longer than it has to be. */
const firstBackoffMs = 10;
const longestBackoffMs = 50;

/** Sends operations and repeats what was refused until each is acknowledged, has failed, or is given up. */
export async function writeBatch(operations: readonly Operation[], context: BatchContext): Promise<void> {
  const { tally, signal } = context;
  let pending: Pending[] = operations.map((operation) => ({ operation, maybeApplied: false }));
  const firstSentAt = performance.now();
  const sentAtMillis = Date.now();
  for (let backoffMs = firstBackoffMs; ; backoffMs = Math.min(backoffMs * 2, longestBackoffMs)) {
    const sent = pending.map(({ operation }) => operation);
    const outcomes = await attempt(context.http, context.alias, sent, signal);
    const waitedMs = performance.now() - firstSentAt;
    const answeredAtMillis = Date.now();
    const again: Pending[] = [];
    for (const [at, one] of pending.entries()) {
      const outcome = outcomes[at];
      if (
        outcome === undefined ||
        !(await recordOutcome(one, outcome, context, { sentAtMillis, answeredAtMillis }))
      )
        again.push(one);
      else tally.observePause(waitedMs);
    }
    pending = again;
    if (pending.length === 0) return;
    if (signal.aborted || waitedMs > context.giveUpAfterMs) {
      tally.observePause(waitedMs);
      for (const one of pending) giveUp(one, context);
      return;
    }
    await sleep(backoffMs, undefined, { signal }).catch(() => undefined);
  }
}

/** @returns false when the operation must be tried again */
async function recordOutcome(
  one: Pending,
  outcome: Outcome,
  context: BatchContext,
  { sentAtMillis, answeredAtMillis }: { readonly sentAtMillis: number; readonly answeredAtMillis: number },
): Promise<boolean> {
  const { model, tally, shards } = context;
  const { operation } = one;
  switch (outcome.type) {
    case 'acknowledged': {
      const { acknowledgement } = outcome;
      // Not now: what the operations of the batch before this one were booked with may have taken a while.
      const acknowledgedAtMillis = answeredAtMillis;
      const mayRepeat = context.mayRepeat(sentAtMillis, acknowledgedAtMillis);
      const contradiction = await recordAcknowledgement(
        model,
        shards,
        operation,
        acknowledgement,
        one.maybeApplied,
        mayRepeat,
      );
      if (contradiction !== undefined) tally.addViolation(contradiction);
      if (one.maybeApplied || mayRepeat) context.retire(operation.id);
      tally.countAcknowledged(operation, acknowledgement.index);
      context.onAcknowledged?.({ ...acknowledgement, operation, sentAtMillis, acknowledgedAtMillis });
      return true;
    }
    case 'refused':
      tally.countRetry(outcome.blocked, outcome.reason);
      return false;
    case 'unknown':
      one.maybeApplied = true;
      tally.countUnknown(outcome.reason);
      return false;
    case 'conflict':
      if (operation.externalVersion !== undefined && one.maybeApplied) {
        recordAppliedEarlier(model, operation);
        context.retire(operation.id);
        tally.countAcknowledged(operation, undefined);
        return true;
      }
      // a partial update reads and writes: an attempt that is still running can get in between
      if (operation.verb === 'update') {
        tally.countRetry(false, outcome.reason);
        return false;
      }
      return fail(one, outcome.reason, context);
    case 'failed':
      return fail(one, outcome.reason, context);
  }
}

function fail(one: Pending, reason: string, context: BatchContext): true {
  const { id, purpose } = one.operation;
  context.tally.addError(`${purpose} of ${id}: ${reason}`);
  if (one.maybeApplied) recordUnknown(context.model, one.operation);
  context.retire(id);
  return true;
}

function giveUp(one: Pending, context: BatchContext): void {
  const { id, purpose } = one.operation;
  context.tally.addError(`${purpose} of ${id}: given up, last reason ${context.tally.lastReason}`);
  if (one.maybeApplied) recordUnknown(context.model, one.operation);
  context.retire(id);
}
