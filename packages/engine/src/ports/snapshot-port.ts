import type { IndexRoutingShape } from '@aosc/domain';
import type { Call } from './call';
import type { DocumentHead, DocumentKey, RawDocument, WholeDocument } from './documents';
import type { ShardCopy } from './index-state-port';

/** Which documents of a snapshot a page is about. Bounds are `_seq_no`s: `from` included, `to` excluded. */
export type Selection =
  | { readonly kind: 'range'; readonly from: number; readonly to: number }
  | { readonly kind: 'ranges'; readonly ranges: readonly { readonly from: number; readonly to: number }[] }
  | { readonly kind: 'seq_nos'; readonly seqNos: readonly number[] }
  | { readonly kind: 'ids'; readonly ids: readonly string[] };

export interface PageRequest {
  readonly pitId: string;
  /** every read extends the point in time by this much, from now */
  readonly keepAliveMs: number;
  readonly selection: Selection;
  /** documents per page; a page with fewer is the last one */
  readonly size: number;
  /** `next` of the page before */
  readonly after?: string;
}

export interface Page<D> {
  readonly documents: readonly D[];
  /** bytes of the response's body */
  readonly bytes: number;
  /** position behind the last document (raw JSON of its sort value); undefined when the page is empty */
  readonly next: string | undefined;
}

export interface DocumentPage<D = RawDocument> extends Page<D> {
  /** Gives the page's memory back; its documents must not be used any more. A caller need not call this. */
  release(): void;
}

/**
 * Points in time on single copies of an index's shards. The id of a point in time names its index, too, so only the
 * calls that open it need the index itself. Every read sends `allow_partial_search_results=false` and checks
 * `_shards.failed` and `timed_out`: a partial answer is a ClusterError('transient'), never "empty".
 */
export interface SnapshotPort {
  /**
   * Refreshes one copy of a shard: a point in time that is opened on it afterwards shows everything that the copy
   * holds.
   * @param shape of its index
   * @throws ClusterError 'transient' when the node holds no copy, as far as the node that was asked knows
   */
  refreshCopy(copy: ShardCopy, shape: IndexRoutingShape, call: Call): Promise<void>;
  /**
   * Opens a point in time on one copy of a shard. @returns its id
   * @throws ClusterError 'transient' when the node holds no copy, or another node has answered
   */
  open(copy: ShardCopy, keepAliveMs: number, call: Call): Promise<string>;
  /** Root documents and the highest `_seq_no` (-1 when there are none) of a snapshot. */
  measure(
    pitId: string,
    keepAliveMs: number,
    call: Call,
  ): Promise<{ documentCount: number; maxSeqNo: number }>;
  extend(pitId: string, keepAliveMs: number, call: Call): Promise<void>;
  /**
   * Closes points in time; a missing one counts as closed.
   * @returns those that are not known to be closed: their nodes are away, and may come back with them
   */
  close(pitIds: readonly string[], call: Call): Promise<readonly string[]>;
  /** Bytes on disk that would be freed without these points in time. @throws ClusterError 'forbidden' */
  pinnedBytes(pitIds: readonly string[], call: Call): Promise<number>;
  /** One page with `_source` bytes, in index order. */
  readDocuments(request: PageRequest, call: Call): Promise<DocumentPage>;
  /** One page with all that a comparison needs, in index order. */
  readWhole(request: PageRequest, call: Call): Promise<DocumentPage<WholeDocument>>;
  /** One page without `_source`, in index order. */
  readHeads(request: PageRequest, call: Call): Promise<Page<DocumentHead>>;
  /**
   * One page of keys, in index order.
   * @returns `undefined` in the place of a key that certainly has no U+FFFD, which OpenSearch shows for half a
   *   character: such a key is exactly what the application sent, so it needs no check
   */
  readKeys(request: PageRequest, call: Call): Promise<Page<DocumentKey | undefined>>;

  /**
   * Number of documents per bucket of `_seq_no`, for the documents of the selection. Reads doc values only.
   * @param interval width of a bucket; the caller keeps the number of buckets below 65,535
   * @returns first seq_no of the bucket -> documents, empty buckets left out
   */
  histogram(
    request: { pitId: string; keepAliveMs: number; selection: Selection; interval: number },
    call: Call,
  ): Promise<ReadonlyMap<number, number>>;
}
