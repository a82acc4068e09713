import type { Call } from './call';
import type { DocumentKey, RawDocument } from './documents';

/**
 * One item of a bulk. A delete has no external version, because for such a delete OpenSearch would make an index of a
 * missing alias.
 */
export type BulkItem =
  | { readonly kind: 'index'; readonly document: RawDocument }
  | {
      readonly kind: 'delete';
      readonly key: DocumentKey;
      readonly seqNo: number;
      readonly primaryTerm: number;
    };

/**
 * Why an item was not applied.
 * conflict: 409. overload: 429, rejected execution, circuit breaker: known not to have been applied.
 * fenced: the fence (the alias that the bulk names) is gone.
 * fatal: the document's own fault (mapping, script, too large).
 * ambiguous: anything else; it may or may not have been applied.
 */
export type ItemFailureKind = 'conflict' | 'overload' | 'fenced' | 'fatal' | 'ambiguous';

export interface ItemFailure {
  /** position in the request */
  readonly index: number;
  readonly kind: ItemFailureKind;
  readonly status: number;
  readonly type: string;
  readonly reason: string;
  /** `_id` of the item as the answer has it */
  readonly id: string;
}

/** A bulk's documents go through the migration's pipeline, which leaves their ids and routings alone. */
export interface BulkTransform {
  readonly pipeline: string;
  readonly shard: number;
  /** `ctx._now` of the script: epoch milliseconds */
  readonly nowMillis: number;
}

interface BulkCall extends Call {
  readonly transform?: BulkTransform | undefined;
}

export type BulkOutcome =
  /** an answer for every item */
  | {
      readonly type: 'answered';
      readonly tookMs: number;
      readonly failures: readonly ItemFailure[];
      /** Positions of documents that replaced another one. The caller asks only where that matters. */
      readonly replaced: () => readonly number[];
    }
  /** the request as a whole was refused before anything was applied */
  | {
      readonly type: 'refused';
      readonly kind: 'overload' | 'too_large' | 'fatal';
      readonly status: number;
      readonly reason: string;
    }
  /** no answer, or an answer without a result: the bulk may have been applied, and may still be running */
  | {
      readonly type: 'unknown';
      readonly reason: string;
      /** no node could take it: see `awaits` of ClusterError's details */
      readonly isOutage?: boolean;
    };

/** Writes documents to one index. A call names a fence, never the index. */
export interface WritePort {
  /**
   * Sends one bulk through a fence alias: `require_alias=true`, `pipeline=_none` or the transform's,
   * `version_type=external_gte` for documents. The client never retries the bulk, and the call never throws for what
   * OpenSearch or the network does.
   */
  bulk(fence: string, items: readonly BulkItem[], call: BulkCall): Promise<BulkOutcome>;
}
