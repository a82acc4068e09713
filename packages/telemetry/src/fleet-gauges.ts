import { Counter, Gauge, type Registry } from 'prom-client';

/** How many jobs a kind of queue has, by what becomes of them. */
type JobCounts = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** What one migration has done, and what is left. */
export interface MigrationFigures {
  readonly documentsIndexed: number;
  /** of the shards whose first snapshot was opened */
  readonly documentsExpected: number;
  /** undefined: unknown */
  readonly gapOperations: number | undefined;
  readonly remainingSeconds: number | undefined;
}

type EndPhase = 'COMPLETED' | 'CANCELLED' | 'FAILED';

/** What a scheduler knows of all migrations, workers and queues. Every scheduler reports the same: take the maximum. */
export interface FleetMetrics {
  /** @param ageSeconds the age of each write block of the service */
  setWriteBlocks(ageSeconds: readonly number[]): void;
  /** Worker processes that take jobs; undefined: Redis does not answer. */
  setWorkers(workers: number | undefined): void;
  /** `aosc.backfill.max_concurrent_per_node` */
  setPermits(permits: number): void;
  /** undefined: Redis does not answer */
  setJobs(byQueue: JobCounts | undefined): void;
  /** A look at all migrations has succeeded. @param epochSeconds when */
  setReconciled(epochSeconds: number): void;
  countMigrationEnded(phase: EndPhase): void;
  /** By source index. Migrations without an entry have no figures. The caller bounds their number. */
  setProgress(bySource: ReadonlyMap<string, MigrationFigures>): void;
}

export function createFleetMetrics(registers: Registry[]): FleetMetrics {
  const writeBlocks = new Gauge({
    name: 'aosc_write_blocks',
    help: 'Write blocks that the service has asked for and not lifted yet',
    registers,
  });
  const writeBlockAge = new Gauge({
    name: 'aosc_write_block_age_seconds',
    help: 'Age of the oldest of these blocks; 0: there is none',
    registers,
  });
  const workers = new Gauge({
    name: 'aosc_workers',
    help: 'Worker processes that take jobs; not a number: Redis does not answer',
    registers,
  });
  const permits = new Gauge({
    name: 'aosc_backfill_permits_per_node',
    help: 'Shards that may be copied at once from a data node',
    registers,
  });
  const jobs = new Gauge({
    name: 'aosc_jobs',
    help: 'Jobs in Redis by kind of queue and state; those of all data nodes together are backfill',
    labelNames: ['queue', 'state'],
    registers,
  });
  const reconciled = new Gauge({
    name: 'aosc_reconcile_success_timestamp_seconds',
    help: 'When this scheduler last looked at all migrations and had each driven on',
    registers,
  });
  const ended = new Counter({
    name: 'aosc_migrations_ended_total',
    help: 'Migrations that this process has brought to their end',
    labelNames: ['phase'],
    registers,
  });
  for (const phase of ['COMPLETED', 'CANCELLED', 'FAILED'] as const) ended.inc({ phase }, 0);
  // Before the first look nothing is known.
  workers.set(NaN);
  permits.set(NaN);

  return {
    setWriteBlocks(ageSeconds) {
      writeBlocks.set(ageSeconds.length);
      writeBlockAge.set(Math.max(0, ...ageSeconds));
    },
    setWorkers: (count) => workers.set(count ?? NaN),
    setPermits: (count) => permits.set(count),
    setJobs(byQueue = {}) {
      jobs.reset();
      for (const [queue, byState] of Object.entries(byQueue)) {
        for (const [state, count] of Object.entries(byState)) jobs.set({ queue, state }, count);
      }
    },
    setReconciled: (epochSeconds) => reconciled.set(epochSeconds),
    countMigrationEnded: (phase) => ended.inc({ phase }),
    setProgress: createProgressGauges(registers),
  };
}

/** One series for each migration that runs: the label is the source index, and the caller bounds their number. */
function createProgressGauges(registers: Registry[]): FleetMetrics['setProgress'] {
  const labelNames = ['source'] as const;
  const indexed = new Gauge({
    name: 'aosc_migration_documents_indexed',
    help: 'Documents that the first copy has brought into the target',
    labelNames,
    registers,
  });
  const expected = new Gauge({
    name: 'aosc_migration_documents_expected',
    help: 'Documents that the first copy has to bring, of the shards whose snapshot was opened',
    labelNames,
    registers,
  });
  const gap = new Gauge({
    name: 'aosc_migration_gap_operations',
    help: 'Operations of all shards that replay has still to bring, as of their last round',
    labelNames,
    registers,
  });
  const remaining = new Gauge({
    name: 'aosc_migration_remaining_seconds',
    help: 'What is left of the first copy at the present rate',
    labelNames,
    registers,
  });
  return (bySource) => {
    for (const gauge of [indexed, expected, gap, remaining]) gauge.reset();
    for (const [source, figures] of bySource) {
      indexed.set({ source }, figures.documentsIndexed);
      expected.set({ source }, figures.documentsExpected);
      if (figures.gapOperations !== undefined) gap.set({ source }, figures.gapOperations);
      if (figures.remainingSeconds !== undefined) remaining.set({ source }, figures.remainingSeconds);
    }
  };
}
