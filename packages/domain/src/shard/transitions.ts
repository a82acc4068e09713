import type { ShardPhase, ShardRecord } from '@aosc/contract';
import { appendTransition, IllegalTransitionError } from '../migration/transitions';

/** The shard's state machine. CANCELLED and FAILING are reached from every phase that is not terminal. */
export const shardTransitions: { readonly [P in ShardPhase]: readonly ShardPhase[] } = {
  PENDING: ['ACQUIRING_LEASE', 'CANCELLED', 'FAILING'],
  ACQUIRING_LEASE: ['BACKFILLING', 'CANCELLED', 'FAILING'],
  BACKFILLING: ['CONVERGING', 'CANCELLED', 'FAILING'],
  CONVERGING: ['CONVERGED', 'CANCELLED', 'FAILING'],
  CONVERGED: ['CATCHING_UP', 'CANCELLED', 'FAILING'],
  CATCHING_UP: ['COMPLETING', 'CANCELLED', 'FAILING'],
  COMPLETING: ['COMPLETED', 'CANCELLED', 'FAILING'],
  COMPLETED: [],
  CANCELLED: [],
  FAILING: ['FAILED'],
  FAILED: [],
};

export function isTerminalShardPhase(phase: ShardPhase): boolean {
  return shardTransitions[phase].length === 0;
}

/** The shard's last operation is in the target; only its snapshot is left to close. */
export function isCaughtUp(phase: ShardPhase): boolean {
  return phase === 'COMPLETING' || phase === 'COMPLETED';
}

export type ShardJobKind = 'backfill' | 'replay' | 'catch_up';

/** Which kind of job brings a shard in this phase further, before the write block. */
export const jobOfShardPhase: { readonly [P in ShardPhase]: ShardJobKind | undefined } = {
  PENDING: 'backfill',
  ACQUIRING_LEASE: 'backfill',
  BACKFILLING: 'backfill',
  CONVERGING: 'replay',
  CONVERGED: 'replay',
  CATCHING_UP: 'catch_up',
  COMPLETING: 'catch_up',
  COMPLETED: undefined,
  CANCELLED: undefined,
  FAILING: undefined,
  FAILED: undefined,
};

/** @throws IllegalTransitionError when the table has no such transition. */
export function moveShard(record: ShardRecord, phase: ShardPhase, nowMillis: number): ShardRecord {
  if (!shardTransitions[record.phase].includes(phase)) {
    throw new IllegalTransitionError(`shard ${record.shard}`, record.phase, phase);
  }
  return {
    ...record,
    phase,
    transitionHistory: appendTransition(
      record.transitionHistory,
      phase,
      nowMillis,
      isTerminalShardPhase(phase),
    ),
  };
}
