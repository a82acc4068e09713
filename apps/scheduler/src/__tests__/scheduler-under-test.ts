import type { MigrationRecord } from '@aosc/contract';
import { isTerminalPhase } from '@aosc/domain';
import { BlockWatch, isUrgent, type UnwrittenLift } from '@aosc/engine';
import type { InstallationState } from '@aosc/runtime';
import { createMetrics, type Logger } from '@aosc/telemetry';
import { exampleMigration } from '@aosc/testkit';
import type { Drive } from '../migration-runner';
import { BlockMemory } from '../block-memory';
import { startWriteBlockWatchdog } from '../write-block-watchdog';
import { startReconciler } from '../reconcile';

export const writeBlockMaxMs = 60_000;
export const maxHoldMs = 3000;
export const intervalMs = 2000;
export const requestTimeoutMs = 60_000;

/** A migration under a write block that was asked for so many ms ago. */
export function blockedFor(ms: number, name: string, parts: Partial<MigrationRecord> = {}): MigrationRecord {
  return {
    ...someMigration(name, 'CATCHING_UP'),
    writeBlock: {
      requestedAtMillis: Date.now() - ms,
      usersOwn: false,
      confirmed: true,
      lifted: false,
    },
    ...parts,
  };
}

export function someMigration(name: string, phase: MigrationRecord['phase']): MigrationRecord {
  const [sourceIndex, targetIndex] = [`${name}-v1`, `${name}-v2`];
  return exampleMigration({
    key: `key of ${name}`,
    migrationId: name,
    sourceIndex,
    targetIndex,
    alias: name,
    phase,
    sourceUuid: `uuid of ${sourceIndex}`,
    targetUuid: `uuid of ${targetIndex}`,
    targetPrepared: true,
  });
}

/** Ends with the signal's reason, and never otherwise. */
export function never(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
}

/** What the scheduler looks after, without servers. Timers are jest's. */
export class SchedulerUnderTest {
  readonly records = new Map<string, MigrationRecord>();
  readonly woken: string[] = [];
  readonly warnings: string[] = [];
  /** migrations that are being driven without a job */
  readonly driving = new Set<string>();
  /** those that were once driven twice at once */
  readonly twice: string[] = [];
  /** drives begun: of which migration, and after how many ms */
  readonly begun: { readonly name: string; readonly at: number }[] = [];
  installation: { readonly isRightCluster: boolean; readonly state: InstallationState } = {
    isRightCluster: true,
    state: { type: 'ours' },
  };
  private readonly metrics = createMetrics('scheduler');
  /** What a look at the records waits for. */
  looks: (signal: AbortSignal) => Promise<void> = () => Promise.resolve();
  /** What a look at the data nodes waits for. */
  nodes: (signal: AbortSignal) => Promise<void> = () => Promise.resolve();
  /** What each call to Redis waits for. */
  redis: () => Promise<void> = () => Promise.resolve();
  /** blocks that were to be lifted without their record */
  readonly unwritten: string[] = [];
  /** What such a lift waits for, and comes to. */
  lifts: (signal: AbortSignal) => Promise<UnwrittenLift> = () => Promise.resolve('lifted');
  /** drives to the swap that were begun */
  readonly swapping: string[] = [];
  /** What such a drive does. */
  swaps: Drive = () => Promise.resolve();
  /** What a drive waits for before it changes the record. */
  drives: Drive = () => Promise.resolve();
  readonly remembered = new BlockMemory();
  private parts: readonly { stop(): void }[] = [];
  private readonly startedAt = performance.now();
  private readonly blocks = new BlockWatch({ now: () => Date.now(), monotonic: () => performance.now() });

  constructor(...records: readonly MigrationRecord[]) {
    for (const record of records) this.records.set(record.migrationId, record);
  }

  start(): this {
    const logger: Logger = {
      error: () => undefined,
      warn: (message) => this.warnings.push(message),
      info: () => undefined,
      debug: () => undefined,
      child: () => logger,
    };
    const redis = () => this.redis();
    const options = {
      cluster: {
        store: {
          listVerifying: () => Promise.resolve([]),
          listActive: async ({ signal }: { signal: AbortSignal }) => {
            await this.looks(signal);
            return [...this.records.values()].map((record) => ({ record, seqNo: 0, primaryTerm: 1 }));
          },
        },
        ports: {
          dataNodes: async ({ signal }: { signal: AbortSignal }) => {
            await this.nodes(signal);
            return ['n'];
          },
        },
      },
      queues: {
        backfills: { keepNodes: redis, applyPermits: redis },
        ensureVerifyJob: redis,
        wakeMigration: async (key: string) => {
          this.woken.push(key);
          await redis();
        },
      },
      installation: this.installation,
      logger,
      metrics: this.metrics,
      intervalMs,
      requestTimeoutMs,
      guardMs: 180_000,
      isUrgent: (record: MigrationRecord) => isUrgent(record, this.blocks, { writeBlockMaxMs, maxHoldMs }),
      drive: this.drive,
      driveToSwap: this.driveToSwap,
      liftWithoutRecord: (record: MigrationRecord, { signal }: { readonly signal: AbortSignal }) => {
        const { writeBlock } = this.records.get(record.migrationId) ?? record;
        if (writeBlock?.lifted === true) return Promise.resolve('not_ours' as const);
        this.unwritten.push(record.migrationId);
        return this.lifts(signal);
      },
      remembered: this.remembered,
      driven: new Set<string>(),
    };
    const { signal } = new AbortController();
    this.parts = [startWriteBlockWatchdog(options, signal), startReconciler(options, signal)];
    return this;
  }

  /** The lines of this figure as Prometheus reads them, without the app's label. */
  async figures(name: string): Promise<readonly string[]> {
    const lines = (await this.metrics.render()).split('\n').filter((line) => line.startsWith(name));
    return lines.map((line) => line.replace(/,?app="scheduler"/, '').replace('{}', ''));
  }

  stop(): void {
    for (const part of this.parts) part.stop();
  }

  isLifted(name: string): boolean {
    return this.records.get(name)?.writeBlock?.lifted === true;
  }

  private readonly driveToSwap: Drive = async (record, span) => {
    this.swapping.push(record.migrationId);
    await this.swaps(record, span);
  };

  /** Lifts the block; goes on to the end only when the caller does not say where to stop. */
  private readonly drive: Drive = async (record, span) => {
    const name = record.migrationId;
    if (this.driving.has(name)) this.twice.push(name);
    this.driving.add(name);
    this.begun.push({ name, at: performance.now() - this.startedAt });
    try {
      await this.drives(record, span);
      if (isTerminalPhase(record.phase)) return;
      const { writeBlock } = record;
      const lifted: MigrationRecord = {
        ...record,
        phase: 'FAILING',
        ...(writeBlock && { writeBlock: { ...writeBlock, lifted: true } }),
      };
      this.records.set(name, span.isDone?.(lifted) ? lifted : { ...lifted, phase: 'FAILED' });
    } finally {
      this.driving.delete(name);
    }
  };
}
