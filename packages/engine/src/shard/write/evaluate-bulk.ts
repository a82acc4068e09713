import { type BulkReport, reasonWithoutValues } from '@aosc/domain';
import type { BulkItem, BulkOutcome, ItemFailure } from '../../ports/write-port';
import { describeItem, idOf } from './document-names';

export type BulkDecision =
  /** the bulk may have been applied, and may still run: the shard moves to a new fence, then all of it is sent again */
  | { readonly type: 'doubt'; readonly isCounted: boolean }
  /**
   * The bulk is sent again in two halves. Either the cluster refused the whole request, by its size or for overload. Or
   * the answer does not show which document is at fault: a document that a pipeline can't parse makes all others fail,
   * or gives failures the positions of other documents.
   */
  | { readonly type: 'halve'; readonly isApplied: boolean }
  /** the same bulk again, after the pause that the controller asks for */
  | { readonly type: 'repeat' }
  | { readonly type: 'fail'; readonly reason: string }
  | ItemDecision;

/** Every item was answered; positions are those in the bulk. */
interface ItemDecision {
  readonly type: 'answered';
  readonly conflicts: readonly ItemFailure[];
  /** not applied, and no repetition can help */
  readonly refused: readonly ItemFailure[];
  /** may have been applied, or may be applied later: the shard moves to a new fence before anything is sent again */
  readonly inDoubt: readonly number[];
  /** to be sent again, including those in doubt */
  readonly again: readonly number[];
  /** the controller has counted the bulk as a failure, and bounds such failures itself */
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
  if (kind !== 'fatal' && sent.length > 1) return { type: 'halve', isApplied: false };
  if (kind === 'overload') return { type: 'repeat' };
  const [only] = sent;
  if (kind === 'too_large' && only?.kind === 'index') {
    const failure = { index: 0, kind: 'fatal', status, type: kind, id: '' } as const;
    const tooLarge = `a bulk of this document alone is too large for the cluster (status ${status}): ${reason}`;
    return { ...answered, refused: [{ ...failure, reason: tooLarge }] };
  }
  return {
    type: 'fail',
    reason: `the target refuses a bulk of ${sent.length} items with status ${status}: ${reason}`,
  };
}

const answered: ItemDecision = {
  type: 'answered',
  conflicts: [],
  refused: [],
  inDoubt: [],
  again: [],
  isCounted: false,
};

function evaluateItems(
  outcome: Extract<BulkOutcome, { type: 'answered' }>,
  sent: readonly BulkItem[],
  viaPipeline: boolean,
): BulkDecision {
  const { failures } = outcome;
  const refused = failures.filter(({ kind }) => kind === 'fatal');
  const foreign = refused.find((failure) => !isOwnFault(failure, sent));
  if (foreign !== undefined) {
    const { index, type, reason } = foreign;
    return {
      type: 'fail',
      reason:
        `the target refuses ${refused.length} of ${sent.length} documents of a bulk; first: document ` +
        `${describeItem(sent[index])}: ${type}: ${reasonWithoutValues(reason)}`,
    };
  }
  if (viaPipeline && refused.length > 0 && sent.length > 1) {
    if (refused.length === sent.length) return { type: 'halve', isApplied: false };
    if (failures.some(({ index, id }) => idOf(sent[index]) !== id)) return { type: 'halve', isApplied: true };
  }
  return {
    ...answered,
    conflicts: failures.filter(({ kind }) => kind === 'conflict'),
    refused,
    inDoubt: failures.filter(isDoubtful).map(({ index }) => index),
    again: failures.filter(({ kind }) => kind !== 'conflict' && kind !== 'fatal').map(({ index }) => index),
    isCounted: reportKind(outcome) === 'transient',
  };
}

const closed = 'index_closed_exception';
const pipelineGone = /^pipeline with id \[.*\] does not exist$/;

/**
 * Whether the document itself is at fault. A missing permission, a block, a closed index or a deleted pipeline would
 * fail any other document, too.
 */
function isOwnFault({ index, status, type, reason }: ItemFailure, sent: readonly BulkItem[]): boolean {
  return sent[index]?.kind === 'index' && status === 400 && type !== closed && !pipelineGone.test(reason);
}

const isDoubtful = ({ kind }: ItemFailure): boolean => kind === 'ambiguous' || kind === 'fenced';

/** Whether a part of the bulk may have been applied without an answer, or may still be applied. */
export function isInDoubt(outcome: BulkOutcome): boolean {
  return outcome.type === 'unknown' || (outcome.type === 'answered' && outcome.failures.some(isDoubtful));
}

/** How the controller counts the bulk: by the worst outcome of its items. */
export function reportKind(outcome: BulkOutcome): BulkReport['kind'] {
  if (outcome.type === 'unknown') return 'transient';
  if (outcome.type === 'refused') return outcome.kind;
  const worst = findWorst(outcome.failures)?.kind ?? 'success';
  return worst === 'ambiguous' ? 'transient' : worst;
}

/** The first failure of the kind by which the controller counts the bulk. */
function findWorst(failures: readonly ItemFailure[]) {
  for (const kind of ['overload', 'fatal', 'ambiguous'] as const) {
    const found = failures.find((failure) => failure.kind === kind);
    if (found !== undefined) return { ...found, kind };
  }
  return undefined;
}

/** No node could take the bulk. */
export function isOutage(outcome: BulkOutcome): boolean {
  return outcome.type === 'unknown' && outcome.isOutage === true;
}

/** Why the controller counts the bulk as it does, for logs and status: without what a refused document holds. */
export function describeOutcome(outcome: BulkOutcome): string {
  if (outcome.type !== 'answered') return outcome.reason;
  const worst = findWorst(outcome.failures);
  if (worst === undefined) return 'success';
  const { kind, type, reason } = worst;
  return `${type}: ${kind === 'fatal' ? reasonWithoutValues(reason) : reason}`;
}
