import { maxAliasesLeftBehind, type MigrationRecord } from '@aosc/contract';
import { type IndexRoutingShape, isOwnName, type TargetDocument } from '@aosc/domain';
import type { AliasProperties } from './alias-port';
import type { Call } from './call';
import type { DocumentKey, RawDocument } from './documents';

/**
 * State and numbers of a primary, by the answer of the only copy that calls itself primary
 * (`_stats/indexing?level=shards`). If two copies call themselves primary, one is out of date, and the list leaves the
 * shard out.
 */
export interface PrimaryCheckpoint {
  readonly shard: number;
  readonly nodeId: string;
  readonly state: string;
  /**
   * how many copies of the shard have answered, without copies that are being recovered; only this number shows that a
   * copy is missing from the answer
   */
  readonly copiesAnswered: number;
  readonly maxSeqNo: number;
  readonly globalCheckpoint: number;
  readonly historyUuid: string;
}

/** By shard number. */
export function maxSeqNosOf(primaries: readonly PrimaryCheckpoint[]): Readonly<Record<string, number>> {
  return Object.fromEntries(primaries.map(({ shard, maxSeqNo }) => [String(shard), maxSeqNo]));
}

/**
 * A copy of a shard, named by the node that holds it. If a call asks for "the primary", the node that gets the call
 * decides which copy that is. After an absence from the cluster this node decides from its old state. So a call names
 * the node that holds the copy.
 */
export interface ShardCopy {
  readonly shard: number;
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
  /** the primary has no node because its last allocation failed, which the cluster tries five times */
  readonly hasFailed: boolean;
  /** how many copies the index wants of this shard, the primary included */
  readonly copies: number;
  /** how many of these copies are on a node and recovered */
  readonly activeCopies: number;
  /** one of the copies is being recovered, or moves to another node */
  readonly isMoving: boolean;
}

/** A copy that serves searches and may not show what its primary shows. */
export interface LaggingCopy {
  readonly shard: number;
  /** `unknown`: the cluster does not answer for it. `away`: the shard wants search replicas, and none can be asked */
  readonly state: 'behind' | 'unknown' | 'away';
  readonly isSearchOnly: boolean;
  /** the highest number that it shows, where it says so */
  readonly shownSeqNo?: number | undefined;
}

/** The routing of an index; all of it comes from one cluster state. */
export interface IndexRouting {
  readonly clusterUuid: string;
  readonly indexUuid: string;
  readonly open: boolean;
  /** how the index spreads its documents over its shards */
  readonly shape: IndexRoutingShape;
  readonly aliases: readonly string[];
  /** writes are blocked, or the block still waits for earlier writes */
  readonly isWriteBlocked: boolean;
  /** how replicas get what their primary has */
  readonly replication: 'documents' | 'segments';
  /** one entry for each shard of an open index */
  readonly primaries: readonly PrimaryRouting[];
}

/** One index as the start validation and the cutover need to see it. */
export interface IndexDescription {
  readonly index: string;
  readonly uuid: string;
  readonly open: boolean;
  readonly shardCount: number;
  /** the effective value, from `_cluster/state` */
  readonly routingShardCount: number;
  readonly routingPartitionSize: number;
  /** grows with each change of the mapping */
  readonly mappingVersion: number;
  /** flat settings as they were set on the index; a setting at its default is absent */
  readonly settings: Readonly<Record<string, string>>;
  readonly aliases: ReadonlyMap<string, AliasProperties>;
  /** the data stream that the index is a backing index of */
  readonly dataStream?: string;
}

/** What a record says of the aliases of the source that the swap does not move, in alphabetical order. */
export function aliasesLeftBehind(
  { aliases }: Pick<IndexDescription, 'aliases'>,
  alias: string,
): Pick<MigrationRecord, 'aliasesLeftBehind'> {
  const left = [...aliases.keys()].filter((name) => name !== alias && !isOwnName(name)).toSorted();
  return left.length === 0 ? {} : { aliasesLeftBehind: left.slice(0, maxAliasesLeftBehind) };
}

export interface IndexHealth {
  readonly status: 'green' | 'yellow' | 'red';
  readonly activeShards: number;
  readonly unassignedShards: number;
}

/** What the cluster and the copies of one index say of it, and of its documents as they are now. */
export interface IndexStatePort {
  /** @returns undefined when no such concrete index exists */
  describe(call: Call): Promise<IndexDescription | undefined>;
  readMapping(call: Call): Promise<Readonly<Record<string, unknown>>>;
  readRouting(call: Call): Promise<IndexRouting>;
  readCheckpoints(call: Call): Promise<readonly PrimaryCheckpoint[]>;
  /**
   * Root documents, on the primaries. @throws ClusterError 'transient' when a shard failed or the count is not whole
   */
  count(query: Readonly<Record<string, unknown>> | undefined, call: Call): Promise<number>;
  /** Root documents of each copy, in the order of the copies. @throws ClusterError 'transient' as `count` does */
  countCopies(
    copies: readonly ShardCopy[],
    query: Readonly<Record<string, unknown>> | undefined,
    call: Call,
  ): Promise<readonly number[]>;
  /** Waits until every primary and replica is active, or `timeoutMs` has passed. */
  waitForGreen(timeoutMs: number, call: Call): Promise<IndexHealth>;
  /**
   * Why a copy of a shard has no node, in the cluster's words.
   * @returns undefined: all copies have a node, or the cluster does not say why
   */
  explainUnassigned(call: Call): Promise<string | undefined>;
  /**
   * Copies that serve searches and may not show yet what their primary showed at its last refresh. With document
   * replication there is no such copy: a refresh reaches every copy.
   */
  findLaggingCopies(call: Call): Promise<readonly LaggingCopy[]>;
  /**
   * Makes every operation acknowledged so far visible on every copy, to snapshots opened afterwards and to counts.
   * Throws unless every shard was refreshed.
   */
  refresh(call: Call): Promise<void>;
  /** Forced flush: syncs the translog, so that checkpoints move even with `translog.durability: async`. */
  flush(call: Call): Promise<void>;
  /**
   * Realtime `_mget` of the live index, in the order of the keys. Throws the error of a single document: an error never
   * means "not found". The answer to a key may be a document of the same `_id` with another routing, if that lies in
   * the key's shard.
   * @param nodeId the node whose copies answer: it must hold a copy of each document's shard. Left out: the node that
   *   gets the call chooses the primary, and after an absence from the cluster it may choose a former primary
   */
  getDocuments(keys: readonly DocumentKey[], call: Call, nodeId?: string): Promise<readonly TargetDocument[]>;
  /** Any documents of the index, for a trial of a script. @returns none where the index is empty */
  sampleDocuments(size: number, call: Call): Promise<readonly RawDocument[]>;
}
