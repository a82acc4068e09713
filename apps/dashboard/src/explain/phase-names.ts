import type { MigrationPhase, ShardPhase } from '@aosc/client';

/** How a phase looks at a glance. */
export type Tone = 'idle' | 'work' | 'wait' | 'good' | 'bad' | 'off';

export const toneOfPhase: Readonly<Record<MigrationPhase, Tone>> = {
  ACTIVE: 'work',
  PREPARING_TARGET: 'work',
  CUTTING_OVER: 'wait',
  CATCHING_UP: 'wait',
  COMPLETING: 'work',
  COMPLETED: 'good',
  CANCELLING: 'off',
  CANCELLED: 'off',
  FAILING: 'bad',
  FAILED: 'bad',
};

export const toneOfShard: Readonly<Record<ShardPhase, Tone>> = {
  PENDING: 'idle',
  ACQUIRING_LEASE: 'work',
  BACKFILLING: 'work',
  CONVERGING: 'wait',
  CONVERGED: 'good',
  CATCHING_UP: 'wait',
  COMPLETING: 'good',
  COMPLETED: 'good',
  CANCELLED: 'off',
  FAILING: 'bad',
  FAILED: 'bad',
};

const words: Readonly<Record<MigrationPhase | ShardPhase, string>> = {
  ACTIVE: 'Copying',
  PREPARING_TARGET: 'Preparing target',
  CUTTING_OVER: 'Stopping writes',
  CATCHING_UP: 'Catching up',
  COMPLETING: 'Moving alias',
  COMPLETED: 'Completed',
  CANCELLING: 'Cancelling',
  CANCELLED: 'Cancelled',
  FAILING: 'Failing',
  FAILED: 'Failed',
  PENDING: 'Pending',
  ACQUIRING_LEASE: 'Opening snapshot',
  BACKFILLING: 'Copying',
  CONVERGING: 'Replaying',
  CONVERGED: 'Converged',
};

export const wordFor = (phase: MigrationPhase | ShardPhase): string => words[phase];
/** COMPLETED is the end of a shard's work too, but a shard has no alias. */
export const wordForShard = (phase: ShardPhase): string =>
  phase === 'COMPLETING' ? 'Closing' : words[phase];

const ends: readonly (MigrationPhase | ShardPhase)[] = ['COMPLETED', 'CANCELLED', 'FAILED'];
export const hasEnded = (phase: MigrationPhase | ShardPhase): boolean => ends.includes(phase);

const undoing: readonly MigrationPhase[] = ['CANCELLING', 'FAILING'];
export const isUndone = (phase: MigrationPhase): boolean => undoing.includes(phase);
