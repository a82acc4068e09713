import type { MigrationRecord } from '@aosc/contract';
import type { UnwrittenLift } from '@aosc/engine';
import type { Cluster, InstallationWatch } from '@aosc/runtime';
import type { Logger, Metrics } from '@aosc/telemetry';
import type { BlockMemory } from './block-memory';
import type { Drive } from './migration-runner';

/** What the parts of the scheduler need that look after running migrations without a job. */
export interface UnattendedOptions {
  readonly cluster: { readonly store: Pick<Cluster['store'], 'listActive'> };
  readonly installation: Pick<InstallationWatch, 'isRightCluster'>;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'setWriteBlocks'>;
  readonly intervalMs: number;
  readonly requestTimeoutMs: number;
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
