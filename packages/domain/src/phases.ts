import type { MigrationPhase, ShardPhase } from '@aosc/contract';

/*
 * What a phase says about the work on a migration or a shard. The tables of transitions say where a phase leads.
 */

const oneOf =
  <P>(...phases: readonly P[]) =>
  (phase: P): boolean =>
    phases.includes(phase);

/** It has ended: no phase follows. */
export const isTerminalPhase = oneOf<MigrationPhase>('COMPLETED', 'CANCELLED', 'FAILED');

/** The service is undoing what the migration has done. */
export const isAbortingPhase = oneOf<MigrationPhase>('CANCELLING', 'FAILING');

/** It has ended, and the alias is on the source. */
export const isAbortedPhase = oneOf<MigrationPhase>('CANCELLED', 'FAILED');

/** Workers copy and replay; in all other phases a replay slice ends at once. */
export const isReplayingPhase = oneOf<MigrationPhase>('ACTIVE', 'PREPARING_TARGET');

/** The migration only goes on when workers do their jobs. */
export const waitsForWorkers = oneOf<MigrationPhase>('ACTIVE', 'PREPARING_TARGET', 'CATCHING_UP');

/** Under the write block, and on the clock. */
export const isBlockedPhase = oneOf<MigrationPhase>('CATCHING_UP', 'COMPLETING');

/** The shard has ended: no phase follows. */
export const isTerminalShardPhase = oneOf<ShardPhase>('COMPLETED', 'CANCELLED', 'FAILED');

/** The shard is the migration's failure. */
export const isFailedShard = oneOf<ShardPhase>('FAILING', 'FAILED');

/** The shard's last operation is in the target; only its snapshot is left to close. */
export const isCaughtUp = oneOf<ShardPhase>('COMPLETING', 'COMPLETED');
