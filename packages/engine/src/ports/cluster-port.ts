import type { NodeRun } from '@aosc/domain';
import type { AliasPort } from './alias-port';
import type { Call } from './call';
import type { TransformPort } from './transform-port';

/** The place of a committed cluster state in the order of all cluster states. */
export interface StatePosition {
  readonly clusterUuid: string;
  readonly term: number;
  readonly version: number;
}

/** Members and aliases of one and the same cluster state. */
export interface ClusterView {
  /** each member has applied this state, or the cluster removes the member within minutes */
  readonly members: readonly NodeRun[];
  /** of the index asked for; none when it is missing */
  readonly aliases: readonly string[];
}

/** Calls to a cluster as a whole, instead of to one index. */
export interface ClusterPort {
  readonly aliases: AliasPort;
  readonly transforms: TransformPort;
  uuid(call: Call): Promise<string>;
  /** The newest cluster state that this process has seen; undefined: none yet. */
  newestState(): StatePosition | undefined;
  /** Another process has seen this state: from now on the port refuses reads of an older state as out of date. */
  rememberState(seen: StatePosition): void;
  /** The cluster state in effect, as the cluster manager has it. @param index whose aliases are wanted */
  readView(index: string | undefined, call: Call): Promise<ClusterView>;
  /** Asks the cluster to try again the allocations that failed too often. @returns false where it is not allowed */
  retryFailedAllocations(call: Call): Promise<boolean>;
  dataNodes(call: Call): Promise<readonly string[]>;
  /** Ids of the nodes that run pipelines: a cluster without such a node takes no bulk that names a pipeline. */
  ingestNodes(call: Call): Promise<readonly string[]>;
}
