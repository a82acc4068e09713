import { Histogram, type Registry } from 'prom-client';
import { createFigures } from './figures';
import { createFleetMetrics } from './fleet-gauges';
import { createFlowGauges } from './flow-gauges';
import { createNodeGauges } from './node-gauges';
import { createProcessMetrics } from './process-metrics';
import { createRegistry } from './registry';

/** The figures of one process. Counters only grow; `set…` replaces what was there before. */
export type Metrics = ReturnType<typeof createMetrics>;

const waitingReasons = ['worker', 'permit', 'target', 'gap', 'cluster', 'refused'] as const;

/**
 * Creates the figures of a process, labelled with the app's name.
 * @param registry a test that reads it passes its own
 */
export function createMetrics(app: string, registry: Registry = createRegistry(app)) {
  const figures = createFigures(registry);
  const { counter, counterBy, gaugeBy, registers } = figures;
  const documentsCopied = counter(
    'aosc_documents_copied_total',
    'Documents the target acknowledged during backfill',
  );
  const bytesCopied = counter('aosc_bytes_copied_total', 'Bytes of the sources of those documents');
  const bulkRetries = counter('aosc_bulk_retries_total', 'Bulk requests that sent items again');
  const verified = counter(
    'aosc_documents_verified_total',
    'Documents of sources that verifications have read',
  );
  const writeBlock = new Histogram({
    name: 'aosc_write_block_seconds',
    help: 'Time from asking for the write block of a source to the swap of the alias or the lifting of the block',
    buckets: [0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
    registers,
  });
  const migrations = gaugeBy('phase', 'aosc_migrations', 'Migrations that have not ended, by phase');
  const waiting = gaugeBy(
    'reason',
    'aosc_migrations_waiting',
    'Migrations that wait for help, by what they wait for',
  );
  const dueJobs = gaugeBy(
    'work',
    'aosc_shard_jobs_due',
    'Jobs on shards in all queues that run, or would if there were more workers',
  );

  return {
    ...createFleetMetrics(figures),
    ...createNodeGauges(figures),
    ...createProcessMetrics(figures),
    /** @param bytes of their sources */
    countDocumentsCopied(documents: number, bytes: number): void {
      documentsCopied.inc(documents);
      bytesCopied.inc(bytes);
    },
    setFlow: createFlowGauges(figures),
    countOperationsReplayed: counterBy(
      'kind',
      'aosc_operations_replayed_total',
      'Operations the target acknowledged during replay',
      ['upsert', 'delete'],
    ),
    /** What became of one bulk request, as the writer counts it. */
    countBulk: counterBy('outcome', 'aosc_bulk_requests_total', 'Bulk requests to the target by outcome', [
      'applied',
      'refused',
      'unknown',
    ]),
    countBulkRetry: () => bulkRetries.inc(),
    countVerified: (documents: number) => verified.inc(documents),
    observeWriteBlock: (seconds: number) => writeBlock.observe(seconds),
    /** Non-terminal migrations by phase; phases that are not named count none. */
    setMigrations: (byPhase: Readonly<Record<string, number>>) => migrations(Object.entries(byPhase)),
    countOwnerLost: counterBy(
      'how',
      'aosc_shard_owners_lost_total',
      'Shards taken from a worker that showed no life (silent) or got no answer to its work (stuck)',
      ['silent', 'stuck'],
    ),
    /** Migrations that can't go on by themselves, by what they wait for; reasons that are not named count none. */
    setWaiting: (byReason: Readonly<Record<string, number>>) =>
      waiting(waitingReasons.map((reason) => [reason, byReason[reason] ?? 0])),
    /** Jobs on shards that run, or would with more workers, by kind of work; undefined: unknown. */
    setDueJobs: (byWork: Readonly<Record<string, number>> | undefined) =>
      dueJobs(Object.entries(byWork ?? {})),
    contentType: registry.contentType,
    /** @returns all figures in Prometheus' text format */
    render: () => registry.metrics(),
  };
}
