import type { TargetDocument } from './target-document';

export type DeleteDecision =
  /** the target does not have it */
  | { readonly kind: 'done' }
  /** delete exactly the version that was read (`if_seq_no`, `if_primary_term`) */
  | { readonly kind: 'delete'; readonly seqNo: number; readonly primaryTerm: number }
  /** the same id with another routing is another document */
  | { readonly kind: 'leave' };

/**
 * What to do in the target about a document that has vanished from the source.
 * @param vanished with its version where a transform made the target's id: another document may have taken the place
 */
export function decideDelete(
  target: TargetDocument,
  vanished: { readonly routing: string | undefined; readonly version?: string | undefined },
): DeleteDecision {
  if (!target.found) return { kind: 'done' };
  if (target.routing !== vanished.routing) return { kind: 'leave' };
  if (vanished.version !== undefined && vanished.version !== target.version) return { kind: 'leave' };
  return { kind: 'delete', seqNo: target.seqNo, primaryTerm: target.primaryTerm };
}
