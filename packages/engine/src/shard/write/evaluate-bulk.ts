import type { BulkReport } from '@aosc/domain';
import type { BulkItem, BulkOutcome, ItemFailure } from '../../ports/write-port';
import { describeItem } from './document-names';

export type BulkDecision =
  /** the bulk may have been applied, and may still run: the fence moves, then all of it is sent again */
  | { readonly type: 'doubt'; readonly isCounted: boolean }
  /** refused before it reached a shard: indexing pressure and circuit breakers go by a request's size */
  | { readonly type: 'halve' }
  /** the same bulk again, after the pause that the controller asks for */
  | { readonly type: 'repeat' }
  /**
   * A document that ingest can't parse takes the others of its bulk with it: the sender halves the bulk to find it.
   * When no half fails, the reason is that of the whole.
   */
  | { readonly type: 'search'; readonly reason: string }
  | { readonly type: 'fail'; readonly reason: string }
  | ItemDecision;

/** Every item was answered; positions are those in the bulk. */
interface ItemDecision {
  readonly type: 'answered';
  readonly conflicts: readonly ItemFailure[];
  /** may have been applied, and may still be: the fence moves before anything is sent again */
  readonly inDoubt: readonly number[];
  /** to be sent again, including those in doubt */
  readonly again: readonly number[];
  /** the controller has counted it as a failure, and sets the limit */
  readonly isCounted: boolean;
}

/** @param viaPipeline documents go through the migration's pipeline in the target */
export function evaluateBulk(
  outcome: BulkOutcome,
  sent: readonly BulkItem[],
  viaPipeline: boolean,
): BulkDecision {
  switch (outcome.type) {
    case 'unknown':
      return { type: 'doubt', isCounted: !isOutage(outcome) };
    case 'refused':
      return evaluateRefusal(outcome, sent);
    case 'answered':
      return evaluateItems(outcome, sent, viaPipeline);
  }
}

function evaluateRefusal(
  { kind, status, reason }: Extract<BulkOutcome, { type: 'refused' }>,
  sent: readonly BulkItem[],
): BulkDecision {
  if (kind !== 'fatal' && sent.length > 1) return { type: 'halve' };
  if (kind === 'overload') return { type: 'repeat' };
  const named = kind === 'too_large' ? ` (document ${describeItem(sent[0])})` : '';
  return {
    type: 'fail',
    reason: `the target refuses a bulk of ${sent.length} items with status ${status}: ${reason}${named}`,
  };
}

function evaluateItems(
  outcome: Extract<BulkOutcome, { type: 'answered' }>,
  sent: readonly BulkItem[],
  viaPipeline: boolean,
): BulkDecision {
  const { failures } = outcome;
  const fatal = failures.filter(({ kind }) => kind === 'fatal');
  const [first] = fatal;
  if (first !== undefined) {
    const name = viaPipeline ? `[${first.id}]` : describeItem(sent[first.index]);
    const reason =
      `the target refuses ${fatal.length} of ${sent.length} documents of a bulk; first: document ` +
      `${name}: ${first.type}: ${first.reason}`;
    return {
      type: viaPipeline && sent.length > 1 && fatal.length === sent.length ? 'search' : 'fail',
      reason,
    };
  }
  return {
    type: 'answered',
    conflicts: failures.filter(({ kind }) => kind === 'conflict'),
    inDoubt: failures.filter(isDoubtful).map(({ index }) => index),
    again: failures.filter(({ kind }) => kind !== 'conflict').map(({ index }) => index),
    isCounted: reportKind(outcome) === 'transient',
  };
}

const isDoubtful = ({ kind }: ItemFailure): boolean => kind === 'ambiguous' || kind === 'fenced';

/** Whether a part of the bulk may have been applied without an answer, or may still be. */
export function isInDoubt(outcome: BulkOutcome): boolean {
  return outcome.type === 'unknown' || (outcome.type === 'answered' && outcome.failures.some(isDoubtful));
}

/** What the controller hears of the bulk: the worst that its items have met. */
export function reportKind(outcome: BulkOutcome): BulkReport['kind'] {
  if (outcome.type === 'unknown') return 'transient';
  if (outcome.type === 'refused') return outcome.kind;
  if (outcome.failures.some(({ kind }) => kind === 'overload')) return 'overload';
  if (outcome.failures.some(({ kind }) => kind === 'fatal')) return 'fatal';
  return outcome.failures.some(({ kind }) => kind === 'ambiguous') ? 'transient' : 'success';
}

/** No node could take it. */
export function isOutage(outcome: BulkOutcome): boolean {
  return outcome.type === 'unknown' && outcome.isOutage === true;
}

export function describeOutcome(outcome: BulkOutcome): string {
  if (outcome.type !== 'answered') return outcome.reason;
  const failure = outcome.failures.find(({ kind }) => kind !== 'conflict');
  return failure === undefined ? 'success' : `${failure.type}: ${failure.reason}`;
}
