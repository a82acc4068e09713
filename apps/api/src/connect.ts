import { type AppConfig, readOpenSearchAccess, readRedisAccess } from '@aosc/config';
import {
  type Call,
  type ClearContext,
  type ClusterPorts,
  NodeWatch,
  type RefusedStorePort,
} from '@aosc/engine';
import {
  bindCalls,
  type Bound,
  createClient,
  createClusterPorts,
  createIndex,
  createSecurityPort,
  hasPipeline,
  listCreated,
  listIndices,
  sampleDocuments,
  nodesWithRole,
  type OpenSearchClient,
  type SecurityPort,
  findWriteBlocks,
  readBucketLimit,
  readDefinition,
  readLifecyclePolicy,
  readShardRoom,
  readAllocation,
  readSnapshotLimit,
  readSnapshotRoom,
  readSourceFilter,
  readTemplates,
  simulateTemplate,
} from '@aosc/opensearch';
import { type Budgets, createBudgets } from '@aosc/queue';
import { createEngineLog, systemClock, logQueueTrouble, logRenewal } from '@aosc/runtime';
import { type Mandate, timeLimit } from '@aosc/signals';
import {
  createOpenSearchDocuments,
  createRefusedStore,
  createStore,
  type MigrationStore,
  repeatReads,
} from '@aosc/store';
import type { Logger, Metrics, NodeConnections, Readiness, Traces } from '@aosc/telemetry';
import { type BoardSource, createBoardSource } from './board/board-source';
import { createEventHub, type EventHub } from './events/event-hub';
import { createQueueClient, type QueueClient, checkReadiness } from './queue-client';

/** Probes ask `/readyz` every few seconds, and their requests must not pile up. */
const readinessTimeoutMs = 3_000;

/**
 * A start asks some thirty things, one after the other, each of which may take `AOSC_REQUEST_TIMEOUT_MS`. This limit
 * makes its answer come before the connection counts as idle, a minute after that time.
 */
const startLimitMs = (requestTimeoutMs: number): number =>
  Math.min(4 * requestTimeoutMs, requestTimeoutMs + 45_000);

/** What the API asks OpenSearch beside what the engine does. */
const questions = {
  readSourceFilter,
  readDefinition,
  listIndices,
  findWriteBlocks,
  createIndex,
  readTemplates,
  simulateTemplate,
  readDataNodes: (client: OpenSearchClient, call: Call) => nodesWithRole(client, 'data', call),
  readBucketLimit,
  readSnapshotRoom,
  readSnapshotLimit,
  readShardRoom,
  readAllocation,
  readLifecyclePolicy,
  hasPipeline,
  pickDocuments: sampleDocuments,
  listScratch: listCreated,
} as const;

/** The same without the client, which each is sent by. */
type Questions = Bound<[OpenSearchClient], typeof questions>;

/** Where answers come from: OpenSearch and Redis. */
export interface Connected extends Questions {
  readonly cluster: ClusterPorts;
  /** what the service's own user may do */
  readonly security: SecurityPort;
  readonly store: MigrationStore;
  readonly refused: RefusedStorePort;
  /** one look at the records for all clients that follow them */
  readonly events: Pick<EventHub, 'subscribe'>;
  readonly queueClient: QueueClient;
  /** the queues that Bull Board shows */
  readonly board: Pick<BoardSource, 'open'>;
  /** with what an administrator clears a migration */
  readonly clearContext: (migrationId: string, mandate: Mandate) => ClearContext;
  readonly readiness: () => Promise<Readiness>;
  /** how the process stands with OpenSearch's nodes */
  readonly nodes: () => readonly NodeConnections[];
  /** how long to wait for an answer of OpenSearch */
  readonly requestTimeoutMs: number;
  /** a new call to OpenSearch, bounded in time */
  readonly newCall: () => Call;
  /** the same with the time that a whole start may take */
  readonly newStartCall: () => Call;
}

export interface Connections {
  readonly connected: Connected;
  /** Ends the streams of events, for which a server that closes would wait. */
  endStreams(): void;
  /** Ends the streams of callers whose credential has changed. */
  endForeignStreams(): void;
  readonly budgets: Budgets;
  close(): Promise<void>;
}

/** Talks to OpenSearch and Redis from the first request on, and waits for neither. */
export function connect(
  config: AppConfig<'api'>,
  logger: Logger,
  metrics: Metrics,
  traces: Traces,
): Connections {
  const { requestTimeoutMs } = config;
  const client = createClient({
    nodes: config.openSearchUrls,
    ...readOpenSearchAccess(config),
    requestTimeoutMs,
    trace: traces,
    onRenewal: logRenewal(logger),
  });
  const cluster = createClusterPorts(client);
  const asked = bindCalls(questions, client);
  const store = createStore(repeatReads(createOpenSearchDocuments(client), systemClock), Date.now);
  const refused = createRefusedStore(client, Date.now);
  const queues = {
    access: readRedisAccess(config),
    prefix: config.queuePrefix,
    cluster,
    store,
    newCall: callFor(readinessTimeoutMs),
  };
  const queueClient = createQueueClient({ ...queues, onError: logQueueTrouble(logger) });
  const budgets = createBudgets({ ...queues.access, prefix: config.queuePrefix }, (error) =>
    logger.warn('Redis does not answer: this process counts only the requests that reach it', {
      event: 'limits_alone',
      error,
    }),
  );
  const board = createBoardSource({ ...queues, queueClient, logger });
  const events = createEventHub({ store, newCall: callFor(requestTimeoutMs), logger, now: Date.now });
  const nodes = new NodeWatch(cluster, systemClock, config.lostNodeWaitMs);
  return {
    connected: {
      cluster,
      security: createSecurityPort(client),
      ...asked,
      store,
      refused,
      events,
      queueClient,
      board,
      clearContext: (migrationId, mandate) => ({
        cluster,
        store,
        refused,
        nodes,
        clock: systemClock,
        log: createEngineLog(logger.child({ migration: migrationId, role: 'coordinator' })),
        timing: { requestTimeoutMs, guardMs: config.guardMs },
        metrics: {
          writeBlockEnded: (seconds) => metrics.observeWriteBlock(seconds),
          migrationEnded: (phase) => metrics.countMigrationEnded(phase),
        },
        onMoved: (before, after) => traces.moved(before, after),
        ...mandate,
      }),
      nodes: () => client.nodes(),
      readiness: () =>
        checkReadiness(cluster, store, asked.findWriteBlocks, queueClient, callFor(readinessTimeoutMs)),
      requestTimeoutMs,
      newCall: callFor(requestTimeoutMs),
      newStartCall: callFor(startLimitMs(requestTimeoutMs)),
    },
    endStreams: () => events.close(),
    endForeignStreams: () => events.recheck(),
    budgets,
    async close() {
      await board.close();
      await queueClient.close();
      budgets.close();
      await client.close();
    },
  };
}

function callFor(timeoutMs: number): () => Call {
  return () => ({ signal: timeLimit(timeoutMs), opaqueId: 'aosc-api' });
}
