import type { NodeRun } from '@aosc/domain';
import type { Call } from './call';
import type { ShardCopy } from './source-port';
import type { AliasAction, AliasProperties, WriteTasks } from './target-port';
import type { TransformPort } from './transform-port';

export type SettingValue = string | number | boolean | null;

/** One index as the start validation and the cutover need to see it. */
export interface IndexDescription {
  readonly index: string;
  readonly uuid: string;
  readonly open: boolean;
  readonly shardCount: number;
  /** the effective value, from `_cluster/state` */
  readonly routingShardCount: number;
  readonly routingPartitionSize: number;
  /** flat settings as they were set on the index; a setting at its default is absent */
  readonly settings: Readonly<Record<string, string>>;
  readonly aliases: ReadonlyMap<string, AliasProperties>;
  /** the data stream that the index is a backing index of */
  readonly dataStream?: string;
}

/** Every alias of an index but this one, in alphabetical order. */
export function otherAliases({ aliases }: IndexDescription, alias: string): readonly string[] {
  return [...aliases.keys()].filter((name) => name !== alias).toSorted();
}

export interface TargetHealth {
  readonly status: 'green' | 'yellow' | 'red';
  readonly timedOut: boolean;
  readonly activeShards: number;
  readonly unassignedShards: number;
}

/** An alias that has been taken from the index that is asked about. */
export interface MovedAlias {
  readonly alias: string;
  /** tasks that are younger have begun after that */
  readonly runningForMs: number;
}

/** Where a committed cluster state stands in the order of all of them. */
export interface StatePosition {
  readonly clusterUuid: string;
  readonly term: number;
  readonly version: number;
}

/** Members and aliases of one and the same cluster state. */
export interface ClusterView {
  /** a member has applied this state, or is removed within minutes */
  readonly members: readonly NodeRun[];
  /** of the index asked for; none when it is missing */
  readonly aliases: readonly string[];
}

/** draining: no new write is taken, and those of before may still run */
export type WriteBlockState = 'none' | 'draining' | 'set';

export type AliasUpdate =
  | { readonly type: 'acknowledged' }
  /** not every node has applied the change in time: it is committed, but a lagging node may not know it yet */
  | { readonly type: 'unacknowledged' }
  /** an alias with must_exist, or an index, is missing: nothing was changed */
  | { readonly type: 'missing'; readonly reason: string };

/** Administrative calls on source and target. */
export interface AdminPort extends TransformPort {
  clusterUuid(call: Call): Promise<string>;
  /** The newest cluster state that this process was shown; undefined: none yet. */
  newestState(): StatePosition | undefined;
  /** Somebody else was shown this state: reads of an older one are refused from now on, as answers of the past. */
  rememberState(seen: StatePosition): void;
  /** @returns undefined when no such concrete index exists */
  describeIndex(index: string, call: Call): Promise<IndexDescription | undefined>;
  /** Concrete indices an alias points at; empty when there is no such alias. */
  indicesOfAlias(alias: string, call: Call): Promise<readonly string[]>;
  /** Alias names of one index that match a wildcard pattern. */
  listAliases(index: string, pattern: string, call: Call): Promise<readonly string[]>;
  updateAliases(actions: readonly AliasAction[], call: Call): Promise<AliasUpdate>;
  putSettings(index: string, settings: Readonly<Record<string, SettingValue>>, call: Call): Promise<void>;
  /** `PUT {index}/_block/write`. @returns whether the answer itself proves that running writes are drained */
  blockWrites(index: string, call: Call): Promise<{ readonly confirmed: boolean }>;
  /** The block itself, whatever the setting says. */
  readWriteBlock(index: string, call: Call): Promise<WriteBlockState>;
  /**
   * Root documents, on the primaries. @throws ClusterError 'transient' when a shard failed or the count is not whole
   */
  count(index: string, query: Readonly<Record<string, unknown>> | undefined, call: Call): Promise<number>;
  /** Root documents of each copy, in the order of the copies. @throws ClusterError 'transient' as above */
  countCopies(
    index: string,
    copies: readonly Omit<ShardCopy, 'index'>[],
    query: Readonly<Record<string, unknown>> | undefined,
    call: Call,
  ): Promise<readonly number[]>;
  /** Waits until every primary and replica is active, or `timeoutMs` has passed. */
  waitForGreen(index: string, timeoutMs: number, call: Call): Promise<TargetHealth>;
  /**
   * Replicas that do not show yet what their primary showed at its last refresh. With document replication there is
   * none: a refresh reaches every copy.
   */
  countLaggingReplicas(index: string, call: Call): Promise<number>;
  /** Refreshes every copy; fails unless all shards did. */
  refresh(index: string, call: Call): Promise<void>;
  flush(index: string, call: Call): Promise<void>;
  /**
   * Writes to this index that are still running anywhere (bulk, index, delete, update), by task description.
   * @param moved one that names this alias may go to the index, too, if it has run for so long
   */
  listIndexWriteTasks(index: string, call: Call, moved?: MovedAlias): Promise<WriteTasks>;
  /** The cluster state in effect, as the cluster manager has it. */
  readClusterView(index: string | undefined, call: Call): Promise<ClusterView>;
  /** Asks the cluster to try again the allocations that failed too often. @returns false where it is not allowed */
  retryFailedAllocations(call: Call): Promise<boolean>;
  /** Ids of data nodes. */
  dataNodes(call: Call): Promise<readonly string[]>;
}
