import type { TargetDocument } from './target-document';

export type ConflictDecision =
  /** nothing is in the way any more (not even the tombstone of a delete): write the same document again */
  | 'retry'
  /** the source's version went down, so the document was deleted and created again: delete the old one, then write */
  | 'recreated'
  /** another document of the source has the same id in the target: only the operator can decide */
  | 'shared_id';

/**
 * What a 409 on writing a document means. With `external_gte` the target refuses only when it has seen a higher
 * version, and with one fenced writer no other writer writes. A version that is equal or lower by now is written again:
 * an equal one does not prove equal content, and writing the same document twice is harmless.
 * @param target the document under our id, read realtime after the conflict
 */
export function decideConflict(
  target: TargetDocument,
  ours: { readonly routing: string | undefined; readonly version: string },
): ConflictDecision {
  if (!target.found) return 'retry';
  if (target.routing !== ours.routing) return 'shared_id';
  return BigInt(target.version) > BigInt(ours.version) ? 'recreated' : 'retry';
}
