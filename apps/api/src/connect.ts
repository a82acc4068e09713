import { type AppConfig, readOpenSearchAccess, readRedisAccess } from '@aosc/config';
import type { RedisAccess } from '@aosc/contract';
import { type Call, NodeWatch } from '@aosc/engine';
import {
  createClient,
  createClusterPorts,
  createIndex,
  createSecurityPort,
  listIndices,
  nodesWithRole,
  findWriteBlocks,
  readBucketLimit,
  readDefinition,
  readShardRoom,
  readSnapshotLimit,
  readSnapshotRoom,
  readSourceFilter,
  readTemplates,
  simulateTemplate,
} from '@aosc/opensearch';
import { type Budgets, createBudgets } from '@aosc/queue';
import { createEngineLog, systemClock, tellQueueTrouble, tellRenewal } from '@aosc/runtime';
import { timeLimit } from '@aosc/signals';
import { createOpenSearchDocuments, createStore, repeatReads } from '@aosc/store';
import type { Logger, Metrics, Traces } from '@aosc/telemetry';
import { createBoardSource } from './board/board-source';
import type { ApiDependencies } from './dependencies';
import { createEventHub } from './events/event-hub';
import { createQueueClient } from './queue-client';
import { checkReadiness } from './readiness';

/** Probes ask `/readyz` every few seconds, and their requests must not pile up. */
const readinessTimeoutMs = 3_000;

/**
 * A start asks some thirty things, one after the other, each of which may take `AOSC_REQUEST_TIMEOUT_MS`. This limit
 * makes its answer come before the connection counts as idle, a minute after that time.
 */
const startLimitMs = (requestTimeoutMs: number): number =>
  Math.min(4 * requestTimeoutMs, requestTimeoutMs + 45_000);

/** Where answers come from: OpenSearch and Redis. */
type Connected = Pick<
  ApiDependencies,
  | 'cluster'
  | 'security'
  | 'readSourceFilter'
  | 'readDefinition'
  | 'listIndices'
  | 'findWriteBlocks'
  | 'createIndex'
  | 'readTemplates'
  | 'simulateTemplate'
  | 'readDataNodes'
  | 'readBucketLimit'
  | 'readSnapshotRoom'
  | 'readSnapshotLimit'
  | 'readShardRoom'
  | 'store'
  | 'events'
  | 'queueClient'
  | 'board'
  | 'clearContext'
  | 'readiness'
  | 'nodes'
  | 'requestTimeoutMs'
  | 'newCall'
  | 'newStartCall'
>;

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
    onRenewal: tellRenewal(logger),
  });
  const cluster = createClusterPorts(client);
  const store = createStore(repeatReads(createOpenSearchDocuments(client), systemClock), Date.now);
  const queues = {
    access: readRedisAccess(config),
    prefix: config.queuePrefix,
    cluster,
    store,
    newCall: callFor(readinessTimeoutMs),
  };
  const queueClient = createQueueClient({ ...queues, onError: tellQueueTrouble(logger) });
  const budgets = openBudgets(queues, logger);
  const board = createBoardSource({ ...queues, logger });
  const events = createEventHub({ store, newCall: callFor(requestTimeoutMs), logger, now: Date.now });
  const nodes = new NodeWatch(cluster, systemClock, config.lostNodeWaitMs);
  return {
    connected: {
      cluster,
      security: createSecurityPort(client),
      readSourceFilter: (index, call) => readSourceFilter(client, index, call),
      readDefinition: (index, call) => readDefinition(client, index, call),
      listIndices: (call) => listIndices(client, call),
      findWriteBlocks: (index, call) => findWriteBlocks(client, index, call),
      createIndex: (index, definition, call) => createIndex(client, index, definition, call),
      readTemplates: (call) => readTemplates(client, call),
      simulateTemplate: (name, call) => simulateTemplate(client, name, call),
      readDataNodes: (call) => nodesWithRole(client, 'data', call),
      readBucketLimit: (call) => readBucketLimit(client, call),
      readSnapshotRoom: (call) => readSnapshotRoom(client, call),
      readSnapshotLimit: (call) => readSnapshotLimit(client, call),
      readShardRoom: (call) => readShardRoom(client, call),
      store,
      events,
      queueClient,
      board,
      clearContext: (migrationId, mandate) => ({
        cluster,
        store,
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
      readiness: () => checkReadiness(cluster, store, queueClient, callFor(readinessTimeoutMs)),
      requestTimeoutMs,
      newCall: callFor(requestTimeoutMs),
      newStartCall: callFor(startLimitMs(requestTimeoutMs)),
    },
    endStreams: () => events.close(),
    endForeignStreams: () => events.recheck(),
    budgets,
    async close() {
      await queueClient.close();
      await board.close();
      budgets.close();
      await client.close();
    },
  };
}

function openBudgets(
  { access, prefix }: { readonly access: RedisAccess; readonly prefix: string },
  logger: Logger,
): Budgets {
  return createBudgets({ ...access, prefix }, (error) =>
    logger.warn('Redis does not answer: this process counts the requests of its callers alone', {
      event: 'limits_alone',
      error,
    }),
  );
}

function callFor(timeoutMs: number): () => Call {
  return () => ({ signal: timeLimit(timeoutMs), opaqueId: 'aosc-api' });
}
