import type { IndexRoutingShape, TargetDocument } from '@aosc/domain';
import type { Call } from './call';
import type { DocumentHead, DocumentKey, RawDocument } from './documents';

/**
 * Where a primary stands, told by the node that holds it. From `_stats/indexing?level=shards`, the only copy that calls
 * itself primary: where two do, one of them is of the past, and the shard is left out.
 */
export interface PrimaryCheckpoint {
  readonly shard: number;
  readonly nodeId: string;
  readonly state: string;
  /** of the shard that told of themselves; one that is gone from its node is left out of the answer without a word */
  readonly copiesTold: number;
  readonly maxSeqNo: number;
  readonly localCheckpoint: number;
  readonly globalCheckpoint: number;
  readonly historyUuid: string;
}

/**
 * A copy of a shard by the node that holds it. Which copy is the primary is resolved by the node that is asked, and one
 * that was out of the cluster resolves it as it was: so the node is named.
 */
export interface ShardCopy {
  readonly index: string;
  readonly shard: number;
  /** id */
  readonly nodeId: string;
}

/** The routing of a primary. From `_cluster/state/metadata,routing_table/{index}`. */
export interface PrimaryRouting {
  readonly shard: number;
  /** undefined while the primary is unassigned */
  readonly nodeId: string | undefined;
  readonly state: string;
  readonly allocationId: string | undefined;
  readonly primaryTerm: number;
  /** of this shard, the primary included, as the index wants them */
  readonly copies: number;
  /** those of them that are assigned and recovered */
  readonly activeCopies: number;
}

/** All of it is of one and the same cluster state. */
export interface IndexRouting {
  readonly clusterUuid: string;
  readonly indexUuid: string;
  readonly open: boolean;
  /** how the index spreads its documents over its shards */
  readonly shape: IndexRoutingShape;
  readonly aliases: readonly string[];
  /** writes are blocked, or are being drained for it */
  readonly isWriteBlocked: boolean;
  readonly primaries: readonly PrimaryRouting[];
}

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
  readonly tookMs: number;
  /** position behind the last document (raw JSON of its sort value); undefined when the page is empty */
  readonly next: string | undefined;
}

export interface DocumentPage extends Page<RawDocument> {
  /** Gives the page's memory back; its documents must not be used any more. Needs not be called. */
  release(): void;
}

/**
 * Reads of the source index. Every read of a snapshot sends `allow_partial_search_results=false` and checks
 * `_shards.failed` and `timed_out`: a partial answer is a ClusterError('transient'), never "empty".
 */
export interface SourcePort {
  readCheckpoints(index: string, call: Call): Promise<readonly PrimaryCheckpoint[]>;
  readRouting(index: string, call: Call): Promise<IndexRouting>;
  /** Makes every operation acknowledged so far visible to snapshots opened afterwards. Fails unless all shards did. */
  refresh(index: string, call: Call): Promise<void>;
  /** Forced flush: syncs the translog, so that checkpoints move even with `translog.durability: async`. */
  flush(index: string, call: Call): Promise<void>;
  /**
   * Makes everything that one copy of a shard holds visible to what is opened on it afterwards.
   * @param shape of its index
   * @throws ClusterError 'transient' when the node holds no copy, as far as the node that was asked knows
   */
  refreshCopy(copy: ShardCopy, shape: IndexRoutingShape, call: Call): Promise<void>;
  /**
   * Opens a point in time on one copy of a shard. @returns its id
   * @throws ClusterError 'transient' when the node holds no copy, or another one has answered
   */
  openSnapshot(copy: ShardCopy, keepAliveMs: number, call: Call): Promise<string>;
  /** Root documents and the highest `_seq_no` (-1 when there are none) of a snapshot. */
  measureSnapshot(
    pitId: string,
    keepAliveMs: number,
    call: Call,
  ): Promise<{ documentCount: number; maxSeqNo: number }>;
  extendSnapshot(pitId: string, keepAliveMs: number, call: Call): Promise<void>;
  /**
   * Closes points in time; one that is gone already counts as closed.
   * @returns those that are not known to be closed: their nodes are away, and may come back with them
   */
  closeSnapshots(pitIds: readonly string[], call: Call): Promise<readonly string[]>;
  /**
   * Realtime `_mget` of the live index, in the order of the keys. An error of one document is thrown, never "not found".
   * A document of the same `_id` and another routing that lies in the key's shard is an answer, too.
   * @param nodeId holds a copy of each of the documents' shards: that copy answers
   */
  getDocuments(
    index: string,
    keys: readonly DocumentKey[],
    call: Call,
    nodeId?: string,
  ): Promise<readonly TargetDocument[]>;
  /** One page with `_source` bytes, in index order. */
  readDocuments(request: PageRequest, call: Call): Promise<DocumentPage>;
  /** One page without `_source`, in index order. */
  readHeads(request: PageRequest, call: Call): Promise<Page<DocumentHead>>;
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
