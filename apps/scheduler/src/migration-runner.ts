import type { MigrationRecord } from '@aosc/contract';
import type { UnwrittenLift } from '@aosc/engine';
import type { Queues } from '@aosc/queue';
import type { Cluster, InstallationWatch } from '@aosc/runtime';
import { timeLimit } from '@aosc/signals';
import type { Logger, Metrics } from '@aosc/telemetry';
import type { BlockMemory } from './block-memory';

/**
 * Drives a migration on in this process, without a job.
 * @param isDone where to stop; left out: as far as it goes now
 * @param signal ends it, after `limitMs` at the latest
 */
export type Drive = (
  record: MigrationRecord,
  span: {
    readonly isDone: ((record: MigrationRecord) => boolean) | undefined;
    readonly limitMs: number;
    readonly signal: AbortSignal;
  },
) => Promise<void>;

interface MigrationRunnerOptions {
  readonly drive: Drive;
  /** keys of the migrations that are being driven, shared by all parts of this process that drive without a job */
  readonly driven: Set<string>;
  readonly logger: Logger;
  /** migrations driven at once */
  readonly max: number;
  readonly firstLimitMs: number;
  /** After a drive was cut off, the next drive of its migration has twice the time, up to this. */
  readonly maxLimitMs: number;
  readonly isDone?: (record: MigrationRecord) => boolean;
}

/** The last time that a migration was driven. */
interface Turn {
  /** counts up over all migrations */
  readonly number: number;
  readonly nextLimitMs: number;
}

/**
 * Drives several migrations side by side, each once at a time, so that none waits for the answers of another's servers.
 */
export function createMigrationRunner(options: MigrationRunnerOptions, signal: AbortSignal) {
  const { drive, driven, logger, max, firstLimitMs, maxLimitMs, isDone } = options;
  const turns = new Map<string, Turn>();
  let running = 0;
  let count = 0;

  const run = async (record: MigrationRecord): Promise<void> => {
    const { key, migrationId } = record;
    const limitMs = Math.min(maxLimitMs, turns.get(key)?.nextLimitMs ?? firstLimitMs);
    const number = (count += 1);
    const bounded = timeLimit(limitMs, signal);
    running += 1;
    driven.add(key);
    try {
      await drive(record, { isDone, limitMs, signal: bounded });
    } catch (error) {
      if (signal.aborted) return;
      logger.warn(`${migrationId} could not be driven on, trying again`, {
        event: 'reconcile_failed',
        migration: migrationId,
        error,
      });
    } finally {
      turns.set(key, { number, nextLimitMs: bounded.aborted ? limitMs * 2 : firstLimitMs });
      running -= 1;
      driven.delete(key);
    }
  };

  return {
    /**
     * Begins to drive these as far as there is room, and starts with those that have waited longest. A migration that
     * is still being driven keeps its drive. The others come with a later call.
     */
    begin(records: readonly MigrationRecord[]): void {
      if (signal.aborted) return;
      const wanted = new Set(records.map(({ key }) => key));
      for (const key of turns.keys()) if (!wanted.has(key)) turns.delete(key);
      const lastTurn = ({ key }: MigrationRecord) => turns.get(key)?.number ?? 0;
      const next = records
        .filter(({ key }) => !driven.has(key))
        .toSorted((a, b) => lastTurn(a) - lastTurn(b))
        .slice(0, Math.max(0, max - running));
      for (const record of next) void run(record);
    },
  };
}

/** What the parts of the scheduler need that look after running migrations without a job. */
export interface DirectDriveOptions {
  readonly cluster: {
    readonly store: Pick<Cluster['store'], 'listActive' | 'listVerifying'>;
    readonly ports: Pick<Cluster['ports'], 'dataNodes'>;
  };
  readonly queues: Pick<Queues, 'wakeMigration' | 'ensureVerifyJob'> & {
    readonly backfills: Pick<Queues['backfills'], 'keepNodes' | 'applyPermits'>;
  };
  readonly installation: Pick<InstallationWatch, 'state' | 'isRightCluster'>;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'setWriteBlocks' | 'setMigrations' | 'setWaiting' | 'setReconciled'>;
  readonly intervalMs: number;
  readonly requestTimeoutMs: number;
  readonly guardMs: number;
  /** Only the lifter of blocks drives these. */
  readonly isUrgent: (record: MigrationRecord) => boolean;
  readonly drive: Drive;
  /** The same where the last rounds are over, through short waits as well; it adds no jobs. */
  readonly driveToSwap: Drive;
  /**
   * Lifts the block of a migration whose record a drive could not write. Does nothing when the record says that the
   * block is gone.
   */
  readonly liftWithoutRecord: (
    record: MigrationRecord,
    span: { readonly limitMs: number; readonly signal: AbortSignal },
  ) => Promise<UnwrittenLift>;
  /** What this process knows of write blocks, for when the records can't be read. */
  readonly remembered: BlockMemory;
  /** keys of the migrations that are driven without a job, shared by all parts */
  readonly driven: Set<string>;
}
