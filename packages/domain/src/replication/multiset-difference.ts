import { documentKeyString } from './document-key';

/** A document as the doc values list it: enough to tell whether two snapshots hold the same operation. */
export interface ListedDocument {
  readonly seqNo: number;
  readonly id: string;
  readonly routing?: string | undefined;
  /**
   * The operation's `_primary_term`. When a failover takes an operation back, the next primary gives its number again,
   * in the new term.
   */
  readonly primaryTerm?: number;
}

export interface MultisetDifference<D extends ListedDocument> {
  readonly onlyBefore: readonly D[];
  readonly onlyAfter: readonly D[];
}

/**
 * Compares two lists as multisets of (`_seq_no`, `_primary_term`, `_id`): in a shard that `_shrink` made, one number
 * belongs to several documents, and even one pair can occur twice (same id, other routing). Entries with an equal pair
 * look the same here, so a surplus names the pair, not the document: the caller must look at every document of that
 * `_seq_no`.
 */
export function multisetDifference<D extends ListedDocument>(
  before: readonly D[],
  after: readonly D[],
): MultisetDifference<D> {
  return { onlyBefore: surplus(before, after), onlyAfter: surplus(after, before) };
}

/** The entries of `list` that remain after each entry of `other` has removed one equal entry. */
function surplus<D extends ListedDocument>(list: readonly D[], other: readonly D[]): readonly D[] {
  const matches = new Map<string, number>();
  for (const entry of other) matches.set(pairOf(entry), (matches.get(pairOf(entry)) ?? 0) + 1);
  return list.filter((entry) => {
    const left = matches.get(pairOf(entry)) ?? 0;
    if (left > 0) matches.set(pairOf(entry), left - 1);
    return left === 0;
  });
}

/** Numbers have no colon, so each ends at the first one, whatever the id holds. */
function pairOf({ seqNo, id, routing, primaryTerm = 0 }: ListedDocument): string {
  return `${seqNo}:${primaryTerm}:${documentKeyString({ id, routing })}`;
}
