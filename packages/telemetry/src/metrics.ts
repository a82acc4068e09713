import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { createFleetMetrics, type FleetMetrics } from './fleet-gauges';
import { createFlowGauges, type JobFlow } from './flow-gauges';
import { createNodeGauges, type NodeMetrics } from './node-gauges';
import { createProcessMetrics, type ProcessMetrics } from './process-metrics';
import { createRegistry } from './registry';

/** What became of one bulk request, as the writer counts it. */
type BulkResult = 'applied' | 'refused' | 'unknown';
type OwnerLoss = 'silent' | 'stuck';

/** The figures of one process. Counters only grow; `set…` replaces what was there before. */
export interface Metrics extends FleetMetrics, NodeMetrics, ProcessMetrics {
  /** @param bytes of their sources */
  countDocumentsCopied(documents: number, bytes: number): void;
  countOperationsReplayed(kind: 'upsert' | 'delete', operations: number): void;
  countBulk(result: BulkResult): void;
  countBulkRetry(): void;
  observeWriteBlock(seconds: number): void;
  /** Non-terminal migrations by phase; phases that are not named count none. */
  setMigrations(byPhase: Readonly<Record<string, number>>): void;
  /** A shard was taken from its worker: `silent` showed no life, `stuck` got no answer to its work. */
  countOwnerLost(how: OwnerLoss): void;
  /** The load that one job puts on the cluster now; undefined: it has ended. */
  setFlow(job: string, flow: JobFlow | undefined): void;
  /** Migrations that can't go on by themselves, by what they wait for; reasons that are not named count none. */
  setWaiting(byReason: Readonly<Record<string, number>>): void;
  /** Jobs on shards that run, or would with more workers, by kind of work; undefined: unknown. */
  setDueJobs(byWork: Readonly<Record<string, number>> | undefined): void;
  readonly contentType: string;
  /** @returns all figures in Prometheus' text format */
  render(): Promise<string>;
}

const waitingReasons = ['worker', 'permit', 'target', 'gap', 'cluster', 'refused'] as const;

/**
 * Creates the figures of a process, labelled with the app's name.
 * @param registry a test that reads it passes its own
 */
// eslint-disable-next-line max-lines-per-function -- one list of metrics with their help texts
export function createMetrics(app: string, registry: Registry = createRegistry(app)): Metrics {
  const registers = [registry];

  const documentsCopied = new Counter({
    name: 'aosc_documents_copied_total',
    help: 'Documents the target acknowledged during backfill',
    registers,
  });
  const bytesCopied = new Counter({
    name: 'aosc_bytes_copied_total',
    help: 'Bytes of the sources of those documents',
    registers,
  });
  const operationsReplayed = new Counter({
    name: 'aosc_operations_replayed_total',
    help: 'Operations the target acknowledged during replay',
    labelNames: ['kind'],
    registers,
  });
  const bulkRequests = new Counter({
    name: 'aosc_bulk_requests_total',
    help: 'Bulk requests to the target by outcome',
    labelNames: ['outcome'],
    registers,
  });
  const bulkRetries = new Counter({
    name: 'aosc_bulk_retries_total',
    help: 'Bulk requests that sent items again',
    registers,
  });
  const writeBlock = new Histogram({
    name: 'aosc_write_block_seconds',
    help: 'Time from asking for the write block of a source to the swap of the alias or the lifting of the block',
    buckets: [0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
    registers,
  });
  const migrations = new Gauge({
    name: 'aosc_migrations',
    help: 'Migrations that have not ended, by phase',
    labelNames: ['phase'],
    registers,
  });
  const ownersLost = new Counter({
    name: 'aosc_shard_owners_lost_total',
    help: 'Shards taken from a worker that showed no life (silent) or got no answer to its work (stuck)',
    labelNames: ['how'],
    registers,
  });
  const waiting = new Gauge({
    name: 'aosc_migrations_waiting',
    help: 'Migrations that wait for help, by what they wait for',
    labelNames: ['reason'],
    registers,
  });
  const dueJobs = new Gauge({
    name: 'aosc_shard_jobs_due',
    help: 'Jobs on shards in all queues that run, or would if there were more workers',
    labelNames: ['work'],
    registers,
  });
  for (const kind of ['upsert', 'delete']) operationsReplayed.inc({ kind }, 0);
  for (const how of ['silent', 'stuck']) ownersLost.inc({ how }, 0);
  for (const outcome of ['applied', 'refused', 'unknown']) bulkRequests.inc({ outcome }, 0);

  return {
    ...createFleetMetrics(registers),
    ...createNodeGauges(registers),
    ...createProcessMetrics(registers),
    countDocumentsCopied: (documents, bytes) => {
      documentsCopied.inc(documents);
      bytesCopied.inc(bytes);
    },
    setFlow: createFlowGauges(registers),
    countOperationsReplayed: (kind, operations) => operationsReplayed.inc({ kind }, operations),
    countBulk: (outcome) => bulkRequests.inc({ outcome }),
    countBulkRetry: () => bulkRetries.inc(),
    observeWriteBlock: (seconds) => writeBlock.observe(seconds),
    setMigrations(byPhase) {
      migrations.reset();
      for (const [phase, count] of Object.entries(byPhase)) migrations.set({ phase }, count);
    },
    countOwnerLost: (how) => ownersLost.inc({ how }),
    setWaiting(byReason) {
      waiting.reset();
      for (const reason of waitingReasons) waiting.set({ reason }, byReason[reason] ?? 0);
    },
    setDueJobs(byWork) {
      dueJobs.reset();
      for (const [work, count] of Object.entries(byWork ?? {})) dueJobs.set({ work }, count);
    },
    contentType: registry.contentType,
    render: () => registry.metrics(),
  };
}
