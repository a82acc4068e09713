import type { TargetDocument } from '@aosc/domain';
import type { Call } from './call';
import type { DocumentHead, DocumentKey, RawDocument } from './documents';
import type { Page, ShardCopy } from './source-port';

/** One line of a bulk. Deletes never carry an external version: through a missing alias that would create an index. */
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
 * fenced: the alias is gone. fatal: the document's own fault (mapping, script, too large).
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

export interface BulkCall extends Call {
  readonly transform?: BulkTransform | undefined;
}

export type BulkOutcome =
  /** an answer for every item */
  | {
      readonly type: 'answered';
      readonly tookMs: number;
      readonly failures: readonly ItemFailure[];
      /** Positions of documents that took the place of one that was there. Asked for only where it tells something. */
      readonly replaced: () => readonly number[];
    }
  /** the request as a whole was refused before anything was applied */
  | {
      readonly type: 'refused';
      readonly kind: 'overload' | 'too_large' | 'fatal';
      readonly status: number;
      readonly reason: string;
    }
  /** no answer, or one that says nothing: it may have been applied, and it may still be running */
  | {
      readonly type: 'unknown';
      readonly reason: string;
      /** nobody was there to take it: see `awaits` of ClusterError's details */
      readonly isOutage?: boolean;
    };

export type AliasAction =
  | { readonly add: AliasDefinition }
  | { readonly remove: { readonly index: string; readonly alias: string; readonly must_exist?: boolean } };

/**
 * The properties of an alias as OpenSearch printed them, `{"filter":…,"index_routing":…}`. Moved as text: parsed, a
 * number in a filter that is over 2^53 would be rounded, and `1.0` would become `1`.
 */
export interface AliasProperties {
  readonly json: string;
}
interface AliasDefinition {
  readonly index: string;
  readonly alias: string;
  readonly is_hidden?: boolean;
  readonly properties?: AliasProperties;
}

/** What `_tasks` tells of writes. */
export interface WriteTasks {
  /** those asked for that have not ended */
  readonly running: readonly string[];
  /** ids of the nodes that have told theirs: a node that is out of the cluster is not even asked */
  readonly answered: readonly string[];
}

/** Writes to the target index. */
export interface TargetPort {
  /**
   * Sends one bulk through a fence alias: `require_alias=true`, `pipeline=_none` or the transform's,
   * `version_type=external_gte` for documents. Never retried by the client. Never throws for what OpenSearch or the
   * network does.
   */
  bulk(fence: string, items: readonly BulkItem[], call: BulkCall): Promise<BulkOutcome>;
  /**
   * Realtime `_mget`, in the order of the keys. An error of one document is thrown, never "not found".
   * @param nodeId holds a copy of each of the documents' shards: that copy answers. Left out: what the node that is asked
   *   takes for the primary, which a node that was out of the cluster does not know
   */
  getDocuments(
    index: string,
    keys: readonly DocumentKey[],
    call: Call,
    nodeId?: string,
  ): Promise<readonly TargetDocument[]>;
  /** The tasks of bulks whose `X-Opaque-Id` satisfies the predicate. @throws forbidden where `_tasks` is not allowed */
  listWriteTasks(matches: (opaqueId: string) => boolean, call: Call): Promise<WriteTasks>;
  /** Opens a point in time on one copy of a shard of the target: see SourcePort. */
  openSnapshot(copy: ShardCopy, keepAliveMs: number, call: Call): Promise<string>;
  /** @returns those that are not known to be closed: see SourcePort */
  closeSnapshots(pitIds: readonly string[], call: Call): Promise<readonly string[]>;
  /** One page of all documents of a point in time, without `_source`, in index order. */
  readAllHeads(
    request: { pitId: string; keepAliveMs: number; size: number; after?: string },
    call: Call,
  ): Promise<Page<DocumentHead>>;
}
