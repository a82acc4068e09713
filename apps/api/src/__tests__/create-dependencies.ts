import { PassThrough } from 'node:stream';
import type { MigrationStore } from '@aosc/store';
import { createLogger, createMetrics, noTraces } from '@aosc/telemetry';
import type { ApiDependencies } from '../dependencies';
import { allowHosts } from '../http/allowed-hosts';
import { createLimits } from '../limits/limits';
import { createStartAdmission } from '../start/start-shares';
import { budgetsOfOne } from './budgets-of-one';

/** Dependencies of which the store answers what a test says; whatever else is asked for fails the test. */
export function createDependencies(store: Partial<MigrationStore>): ApiDependencies {
  const audit = createLogger({ app: 'api', level: 'error', stream: new PassThrough().resume() });
  return {
    cluster: refusing('cluster', {}),
    security: refusing('security', {}),
    readSourceFilter: () => Promise.reject(new Error('readSourceFilter is not part of this test')),
    readDefinition: () => Promise.reject(new Error('readDefinition is not part of this test')),
    listIndices: () => Promise.reject(new Error('listIndices is not part of this test')),
    findWriteBlocks: () => Promise.reject(new Error('findWriteBlocks is not part of this test')),
    createIndex: () => Promise.reject(new Error('createIndex is not part of this test')),
    readTemplates: () => Promise.reject(new Error('readTemplates is not part of this test')),
    simulateTemplate: () => Promise.reject(new Error('simulateTemplate is not part of this test')),
    readDataNodes: () => Promise.reject(new Error('readDataNodes is not part of this test')),
    readBucketLimit: () => Promise.reject(new Error('readBucketLimit is not part of this test')),
    readSnapshotRoom: () => Promise.reject(new Error('readSnapshotRoom is not part of this test')),
    readSnapshotLimit: () => Promise.reject(new Error('readSnapshotLimit is not part of this test')),
    readShardRoom: () => Promise.reject(new Error('readShardRoom is not part of this test')),
    readLifecyclePolicy: () => Promise.reject(new Error('readLifecyclePolicy is not part of this test')),
    pickDocuments: () => Promise.reject(new Error('pickDocuments is not part of this test')),
    listScratch: () => Promise.reject(new Error('listScratch is not part of this test')),
    hasPipeline: () => Promise.reject(new Error('hasPipeline is not part of this test')),
    readAllocation: () => Promise.reject(new Error('readAllocation is not part of this test')),
    store: refusing('store', store),
    refused: refusing('refused', {}),
    events: refusing('events', {}),
    queueClient: {
      wakeMigration: () => Promise.resolve(),
      ensureVerifyJob: () => Promise.resolve(),
      applyPermits: () => Promise.resolve(),
      ping: () => Promise.resolve(),
      findInstallationMismatch: () => Promise.resolve(undefined),
      openBoard: () => Promise.reject(new Error('the board is not part of this test')),
    },
    board: { open: () => Promise.reject(new Error('the board is not part of this test')) },
    logger: createLogger({ app: 'api', level: 'error', stream: new PassThrough().resume() }),
    audit,
    metrics: createMetrics('api'),
    traces: noTraces,
    nodes: () => [],
    readiness: () => Promise.resolve({ ok: true, checks: [] }),
    clearContext: () => {
      throw new Error('clearContext is not part of this test');
    },
    now: () => 10_000,
    authenticate: undefined,
    limits: createLimits(
      budgetsOfOne(() => 0),
      0,
    ),
    isTrustedProxy: () => false,
    isBehindTls: false,
    hiddenIndices: [],
    limitedMigrations: 8,
    snapshotKeepAliveMs: 300_000,
    admission: createStartAdmission(1000),
    requestTimeoutMs: 1000,
    hosts: allowHosts('127.0.0.1', [], false),
    newCall: () => ({ signal: new AbortController().signal }),
    newStartCall: () => ({ signal: new AbortController().signal }),
  };
}

function refusing<T extends object>(what: string, parts: Partial<T>): T {
  return new Proxy(parts, {
    get: (target, name) => {
      if (Reflect.has(target, name)) return Reflect.get(target, name) as unknown;
      throw new Error(`${what}.${String(name)} is not part of this test`);
    },
  }) as T;
}
