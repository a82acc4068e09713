import type { ShardPhase, ShardRecord } from '@aosc/contract';
import { appendTransition, IllegalTransitionError } from '../migration/transitions';
import { isTerminalShardPhase } from '../phases';

/** The shard's state machine. Every phase that is not terminal may lead to CANCELLED and FAILING. */
export const shardTransitions = {
  PENDING: ['ACQUIRING_LEASE', 'CANCELLED', 'FAILING'],
  ACQUIRING_LEASE: ['BACKFILLING', 'CANCELLED', 'FAILING'],
  BACKFILLING: ['CONVERGING', 'CANCELLED', 'FAILING'],
  CONVERGING: ['CONVERGED', 'CANCELLED', 'FAILING'],
  CONVERGED: ['CATCHING_UP', 'CANCELLED', 'FAILING'],
  CATCHING_UP: ['COMPLETING', 'CONVERGING', 'CANCELLED', 'FAILING'],
  COMPLETING: ['COMPLETED', 'CONVERGING', 'CANCELLED', 'FAILING'],
  COMPLETED: [],
  CANCELLED: [],
  FAILING: ['FAILED'],
  FAILED: [],
} as const satisfies { readonly [P in ShardPhase]: readonly ShardPhase[] };

/** The phases that may lead to a phase. */
export type ShardPhaseBefore<P extends ShardPhase> = {
  [From in ShardPhase]: [P] extends [(typeof shardTransitions)[From][number]] ? From : never;
}[ShardPhase];

/** Whether the table leads from one phase to the other. */
export function leadsShardTo<P extends ShardPhase>(from: ShardPhase, to: P): from is ShardPhaseBefore<P> {
  return nextPhases(from).includes(to);
}

function nextPhases(phase: ShardPhase): readonly ShardPhase[] {
  return shardTransitions[phase];
}

export type ShardJobKind = 'backfill' | 'replay' | 'catch_up';

/** Which kind of job brings a shard in this phase further; undefined: no worker does. */
export const jobOfShardPhase: { readonly [P in ShardPhase]: ShardJobKind | undefined } = {
  PENDING: 'backfill',
  ACQUIRING_LEASE: 'backfill',
  BACKFILLING: 'backfill',
  CONVERGING: 'replay',
  CONVERGED: 'replay',
  CATCHING_UP: 'catch_up',
  COMPLETING: undefined,
  COMPLETED: undefined,
  CANCELLED: undefined,
  FAILING: undefined,
  FAILED: undefined,
};

/** Whether the shard will never be copied again: such a phase does not lead back to a phase of the backfill. */
export function isPastCopy(phase: ShardPhase): boolean {
  return jobOfShardPhase[phase] !== 'backfill';
}

/**
 * @param from a phase that the table leads to the new one from: any other does not compile
 * @throws IllegalTransitionError when the record is in another phase than that
 */
export function moveShard<P extends ShardPhase>(
  record: ShardRecord,
  from: ShardPhaseBefore<P>,
  to: P,
  nowMillis: number,
): ShardRecord {
  if (record.phase !== from || !leadsShardTo(record.phase, to)) {
    throw new IllegalTransitionError(`shard ${record.shard}`, record.phase, to);
  }
  return {
    ...record,
    phase: to,
    transitionHistory: appendTransition(record.transitionHistory, to, nowMillis, isTerminalShardPhase(to)),
  };
}
