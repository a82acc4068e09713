import type { MigrationPhase, MigrationRecord } from '@aosc/contract';
import { isTerminalPhase } from '../phases';

/**
 * The coordinator's state machine. CANCELLING and FAILING may lead to COMPLETING: when an abort finds that
 * the commit has already won the token, the migration can only complete. Neither leads to the other: they do the
 * same, and trouble on the way is tried again. CUTTING_OVER, CATCHING_UP and COMPLETING go back to
 * PREPARING_TARGET when no write hold or write block was asked for, or when both have ended and no shard is in its last
 * round any more; COMPLETING does so only before the swap is asked for.
 */
export const migrationTransitions = {
  ACTIVE: ['PREPARING_TARGET', 'CANCELLING', 'FAILING'],
  PREPARING_TARGET: ['CUTTING_OVER', 'CANCELLING', 'FAILING'],
  CUTTING_OVER: ['CATCHING_UP', 'PREPARING_TARGET', 'CANCELLING', 'FAILING'],
  CATCHING_UP: ['COMPLETING', 'PREPARING_TARGET', 'CANCELLING', 'FAILING'],
  COMPLETING: ['COMPLETED', 'PREPARING_TARGET', 'CANCELLING', 'FAILING'],
  COMPLETED: [],
  CANCELLING: ['CANCELLED', 'COMPLETING'],
  CANCELLED: [],
  FAILING: ['FAILED', 'COMPLETING'],
  FAILED: [],
} as const satisfies { readonly [P in MigrationPhase]: readonly MigrationPhase[] };

type Table = typeof migrationTransitions;

/** The phases that a phase may lead to. */
export type NextPhase<P extends MigrationPhase> = { [From in MigrationPhase]: Table[From][number] }[P];

/** The phases that may lead to a phase. */
export type PhaseBefore<P extends MigrationPhase> = {
  [From in MigrationPhase]: [P] extends [Table[From][number]] ? From : never;
}[MigrationPhase];

/** A migration whose phase is known to be among these. */
export interface MigrationIn<P extends MigrationPhase> extends MigrationRecord {
  readonly phase: P;
}

/** Whether the table leads from the record's phase to this one. */
export function mayMove<P extends MigrationPhase>(
  record: MigrationRecord,
  phase: P,
): record is MigrationIn<PhaseBefore<P>> {
  return nextPhases(record.phase).includes(phase);
}

function nextPhases(phase: MigrationPhase): readonly MigrationPhase[] {
  return migrationTransitions[phase];
}

/** The table does not have this transition. The caller has a bug; no state of the cluster leads here. */
export class IllegalTransitionError extends Error {
  override readonly name = 'IllegalTransitionError';
  constructor(what: string, from: string, to: string) {
    super(`${what} can't go from ${from} to ${to}`);
  }
}

/** A migration that goes back and forth keeps the first and the last of its transitions. */
const mostTransitions = 100;

interface HistoryEntry<P> {
  readonly phase: P;
  readonly startTimeMillis: number;
  readonly endTimeMillis?: number;
}

/** Closes the open entry of a history and appends the next; a terminal phase starts and ends at once. */
export function appendTransition<P>(
  history: readonly HistoryEntry<P>[],
  phase: P,
  nowMillis: number,
  terminal: boolean,
): readonly HistoryEntry<P>[] {
  const closed = history.map((entry) =>
    entry.endTimeMillis === undefined ? { ...entry, endTimeMillis: nowMillis } : entry,
  );
  const kept =
    closed.length < mostTransitions
      ? closed
      : [...closed.slice(0, mostTransitions / 2), ...closed.slice(1 - mostTransitions / 2)];
  return [...kept, { phase, startTimeMillis: nowMillis, ...(terminal ? { endTimeMillis: nowMillis } : {}) }];
}

/**
 * @param record in a phase from which the table leads to the new one: any other does not compile
 * @returns the record in its new phase, with history and time of change
 * @throws IllegalTransitionError when the record is not in the phase that its type says
 */
export function moveMigration<P extends MigrationPhase>(
  record: MigrationIn<PhaseBefore<P>>,
  phase: P,
  nowMillis: number,
): MigrationIn<P> {
  if (!nextPhases(record.phase).includes(phase)) {
    throw new IllegalTransitionError(`migration ${record.migrationId}`, record.phase, phase);
  }
  // What the previous phase waited for says nothing about this one.
  return {
    ...record,
    waits: [],
    phase,
    lastUpdatedMillis: nowMillis,
    transitionHistory: appendTransition(record.transitionHistory, phase, nowMillis, isTerminalPhase(phase)),
  };
}
