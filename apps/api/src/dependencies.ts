import type { Call, ClearContext, ClusterPorts } from '@aosc/engine';
import type {
  IndexDefinition,
  NodeTraits,
  SecurityPort,
  ShardRoom,
  SnapshotRoom,
  SourceFilter,
  TemplateGifts,
  Templates,
} from '@aosc/opensearch';
import type { Mandate } from '@aosc/signals';
import type { MigrationStore } from '@aosc/store';
import type { Logger, Metrics, NodeConnections, Readiness, Traces } from '@aosc/telemetry';
import type { Authenticator } from './auth/authenticator';
import type { LoadedAuthenticator } from './auth/load-authenticator';
import type { Sessions } from './auth/session/sessions';
import type { AllowedHosts } from './http/allowed-hosts';
import type { BoardSource } from './board/board-source';
import type { EventHub } from './events/event-hub';
import type { PageFiles } from './page/page-files';
import type { Admission } from './limits/admission';
import type { Limits } from './limits/limits';

/** What the API needs of the queue. */
export interface QueueClient {
  /** Asks the schedulers to look at a migration now. @throws when Redis can't be reached */
  wakeMigration(key: string): Promise<void>;
  /** Writes the permits into the queues of the data nodes. @throws when Redis can't be reached */
  applyPermits(): Promise<void>;
  /** @throws when Redis can't be reached */
  ping(): Promise<void>;
  /**
   * Checks whether Redis and the cluster belong together, and writes nothing.
   * @returns why not, and what to do
   * @throws when one of them can't be reached
   */
  findInstallationMismatch(): Promise<string | undefined>;
}

/** All that a handler needs to answer; an API process keeps nothing between requests. */
export interface ApiDependencies {
  readonly cluster: ClusterPorts;
  /** what the service's own user may do */
  readonly security: SecurityPort;
  /** how much of its documents' sources an index keeps */
  readonly readSourceFilter: (index: string, call: Call) => Promise<SourceFilter>;
  /** settings, mapping and aliases of an index; undefined: there is none of that name */
  readonly readDefinition: (index: string, call: Call) => Promise<IndexDefinition | undefined>;
  /** the open indices of the cluster by name, with their aliases */
  readonly listIndices: (call: Call) => Promise<ReadonlyMap<string, readonly string[]>>;
  /** what keeps writes from an index, in the cluster's words */
  readonly findWriteBlocks: (index: string, call: Call) => Promise<readonly string[]>;
  /** never changes an index that exists */
  readonly createIndex: (
    index: string,
    definition: Readonly<Record<string, unknown>>,
    call: Call,
  ) => Promise<'created' | 'exists'>;
  readonly readTemplates: (call: Call) => Promise<Templates>;
  /** what a composable template gives, with its components */
  readonly simulateTemplate: (name: string, call: Call) => Promise<TemplateGifts>;
  readonly readDataNodes: (call: Call) => Promise<readonly NodeTraits[]>;
  /** how many buckets the answer to a search may have */
  readonly readBucketLimit: (call: Call) => Promise<number>;
  /** how many points in time the data nodes allow and hold */
  readonly readSnapshotRoom: (call: Call) => Promise<SnapshotRoom>;
  /** how many points in time each data node allows: a question that takes no privilege of its own */
  readonly readSnapshotLimit: (call: Call) => Promise<number>;
  /** how many shards the cluster allows and holds */
  readonly readShardRoom: (call: Call) => Promise<ShardRoom>;
  readonly store: MigrationStore;
  /** one look at the records for all clients that follow them */
  readonly events: Pick<EventHub, 'subscribe'>;
  readonly queueClient: QueueClient;
  /** the queues that Bull Board shows */
  readonly board: Pick<BoardSource, 'open'>;
  /** with what an administrator clears a migration */
  readonly clearContext: (migrationId: string, mandate: Mandate) => ClearContext;
  readonly logger: Logger;
  /** a stream of its own, whatever the log's level */
  readonly audit: Logger;
  readonly metrics: Metrics;
  readonly traces: Traces;
  readonly readiness: () => Promise<Readiness>;
  /** how the process stands with OpenSearch's nodes */
  readonly nodes: () => readonly NodeConnections[];
  /** epoch milliseconds */
  readonly now: () => number;
  /** undefined: each caller that reaches the API may do everything */
  readonly authenticate: Authenticator | undefined;
  /** the credential that is in use under this name */
  readonly findCredential?: LoadedAuthenticator['findCredential'] | undefined;
  /** whom a cookie signs in; undefined: this API has no sessions */
  readonly sessions?: Sessions | undefined;
  /** what callers may use up, shared by all processes */
  readonly limits: Limits;
  /** whether an address is that of a trusted proxy, whose `X-Forwarded-For` counts */
  readonly isTrustedProxy: (address: string) => boolean;
  /** a proxy ends the HTTPS that browsers come by */
  readonly isBehindTls: boolean;
  /** patterns of names with a leading dot that a start may use all the same */
  readonly hiddenIndices: readonly string[];
  /** migrations that may run at once of the indices that a credential is limited to */
  readonly limitedMigrations: number;
  /** how long the snapshots of workers live, as far as this process knows, in milliseconds */
  readonly snapshotKeepAliveMs: number;
  /** where starts, and what costs the cluster as much, wait; one for the process */
  readonly admission: Admission;
  /** the names that the API answers to; a request for another host comes from a page that misleads its browser */
  readonly hosts: AllowedHosts;
  /** undefined: it was not built */
  readonly page?: PageFiles | undefined;
  /** how long to wait for an answer of OpenSearch */
  readonly requestTimeoutMs: number;
  /** a new call to OpenSearch, bounded in time */
  readonly newCall: () => Call;
  /** the same with the time that a whole start may take */
  readonly newStartCall: () => Call;
}
