import { Gauge } from 'prom-client';
import type { Figures } from './figures';

/** What one migration has done, and what is left. */
export interface MigrationFigures {
  readonly documentsIndexed: number;
  /** of the shards whose first snapshot was opened */
  readonly documentsExpected: number;
  /** undefined: unknown */
  readonly gapOperations: number | undefined;
  readonly remainingSeconds: number | undefined;
}

/** What a scheduler knows of all migrations, workers and queues. Every scheduler reports the same: take the maximum. */
export function createFleetMetrics(figures: Figures) {
  const { gauge, registers } = figures;
  const writeBlocks = gauge(
    'aosc_write_blocks',
    'Write blocks that the service has asked for and not lifted yet',
  );
  const writeBlockAge = gauge(
    'aosc_write_block_age_seconds',
    'Age of the oldest of these blocks; 0: there is none',
  );
  const workers = gauge(
    'aosc_workers',
    'Worker processes that take jobs; not a number: Redis does not answer',
  );
  const permits = gauge(
    'aosc_backfill_permits_per_node',
    'Shards that may be copied at once from a data node',
  );
  const jobs = new Gauge({
    name: 'aosc_jobs',
    help: 'Jobs in Redis by kind of queue and state; those of all data nodes together are backfill',
    labelNames: ['queue', 'state'],
    registers,
  });
  const reconciled = gauge(
    'aosc_reconcile_success_timestamp_seconds',
    'When this scheduler last looked at all migrations and had each driven on',
  );
  // Before the first look nothing is known.
  workers.set(NaN);
  permits.set(NaN);

  return {
    /** @param ageSeconds the age of each write block of the service */
    setWriteBlocks(ageSeconds: readonly number[]): void {
      writeBlocks.set(ageSeconds.length);
      writeBlockAge.set(Math.max(0, ...ageSeconds));
    },
    /** Worker processes that take jobs; undefined: Redis does not answer. */
    setWorkers: (count: number | undefined) => workers.set(count ?? NaN),
    /** `aosc.backfill.max_concurrent_per_node` */
    setPermits: (count: number) => permits.set(count),
    /** How many jobs a kind of queue has, by what becomes of them; undefined: Redis does not answer. */
    setJobs(byQueue: Readonly<Record<string, Readonly<Record<string, number>>>> | undefined): void {
      jobs.reset();
      for (const [queue, byState] of Object.entries(byQueue ?? {})) {
        for (const [state, count] of Object.entries(byState)) jobs.set({ queue, state }, count);
      }
    },
    /** A look at all migrations has succeeded. @param epochSeconds when */
    setReconciled: (epochSeconds: number) => reconciled.set(epochSeconds),
    countMigrationEnded: figures.counterBy(
      'phase',
      'aosc_migrations_ended_total',
      'Migrations that this process has brought to their end',
      ['COMPLETED', 'CANCELLED', 'FAILED'],
    ),
    setProgress: createProgressGauges(figures),
  };
}

function createProgressGauges({ gaugeBy }: Figures) {
  const indexed = gaugeBy(
    'source',
    'aosc_migration_documents_indexed',
    'Documents that the first copy has brought into the target',
  );
  const expected = gaugeBy(
    'source',
    'aosc_migration_documents_expected',
    'Documents that the first copy has to bring, of the shards whose snapshot was opened',
  );
  const gap = gaugeBy(
    'source',
    'aosc_migration_gap_operations',
    'Operations of all shards that replay has still to bring, as of their last round',
  );
  const remaining = gaugeBy(
    'source',
    'aosc_migration_remaining_seconds',
    'What is left of the first copy at the present rate',
  );
  /** By source index. Migrations without an entry have no figures. The caller bounds their number. */
  return (bySource: ReadonlyMap<string, MigrationFigures>): void => {
    const all = (read: (figures: MigrationFigures) => number | undefined) =>
      [...bySource].flatMap(([source, figures]): [string, number][] => {
        const value = read(figures);
        return value === undefined ? [] : [[source, value]];
      });
    indexed(all(({ documentsIndexed }) => documentsIndexed));
    expected(all(({ documentsExpected }) => documentsExpected));
    gap(all(({ gapOperations }) => gapOperations));
    remaining(all(({ remainingSeconds }) => remainingSeconds));
  };
}
