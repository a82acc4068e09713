import type { DifferenceKind } from '@aosc/contract';

/** An operation on a document. After a failover a number alone can belong to another operation. */
export interface OperationName {
  readonly seqNo: number;
  readonly primaryTerm: number;
}

/** What a look shows of one document. */
export interface SeenDocument extends OperationName {
  readonly version: string;
  /** stands for its content: equal texts, equal contents */
  readonly content: string;
}

/** All that was seen of one document, in this order in time. */
export interface DocumentLooks {
  /** in the target before a snapshot was opened that the target has been brought to since; undefined: not known */
  readonly targetBefore?: OperationName | undefined;
  /** in the snapshot of the source that the target was brought to; undefined: it is not there */
  readonly source: SeenDocument | undefined;
  /** in the target; undefined: it is not there */
  readonly target: SeenDocument | undefined;
  /** in the source itself after that; undefined: it is not there */
  readonly sourceNow: OperationName | undefined;
  /** no round has begun between these looks, so the target had to show exactly the snapshot */
  readonly isAtRest: boolean;
}

/** `moved`: a round may have been at work on the document, so the looks say nothing. */
export type Judgement = 'equal' | 'moved' | DifferenceKind;

/**
 * Compares what was seen of one document. A difference counts only when no round can be its cause: none was under way, or the
 * source stood still, so that a round has nothing to bring or to remove.
 *
 * A document that the source does not have has no number there. Then the target's decides: what the target had before it was
 * brought to this snapshot, and still has unchanged, was left over.
 */
export function judgeDocument(looks: DocumentLooks): Judgement {
  const { source, target } = looks;
  const found = compare(source, target);
  if (found === 'equal' || looks.isAtRest) return found;
  const stoodStill =
    source === undefined
      ? looks.sourceNow === undefined && isSameOperation(target, looks.targetBefore)
      : isSameOperation(source, looks.sourceNow);
  return stoodStill ? found : 'moved';
}

function compare(source: SeenDocument | undefined, target: SeenDocument | undefined): Judgement {
  if (source === undefined) return target === undefined ? 'equal' : 'extra';
  if (target === undefined) return 'missing';
  if (target.version !== source.version) return 'version';
  return target.content === source.content ? 'equal' : 'source';
}

/** Both are missing, or one operation has written both. */
export function isSameOperation(one: OperationName | undefined, other: OperationName | undefined): boolean {
  return one?.seqNo === other?.seqNo && one?.primaryTerm === other?.primaryTerm;
}

/** What the target had at the swap, after which applications write to it. */
export interface AfterSwap {
  /** highest `_seq_no` of the document's shard in the target at the swap */
  readonly swapSeqNo: number;
  /** the same now */
  readonly nowSeqNo: number;
}

/**
 * Judges a difference that was found after the swap. A document of the target with a number above the swap's is an application's
 * write. An application may have deleted a document that is gone, if its shard has any operation since.
 */
export function judgeAfterSwap(
  judgement: Judgement,
  target: SeenDocument | undefined,
  { swapSeqNo, nowSeqNo }: AfterSwap,
): Judgement | 'unknown' {
  if (judgement === 'equal') return 'equal';
  if (target === undefined) return nowSeqNo > swapSeqNo ? 'unknown' : judgement;
  return target.seqNo > swapSeqNo ? 'equal' : judgement;
}
