import type { MigrationPhase, MigrationRecord } from '@aosc/contract';

/**
 * The coordinator's state machine. CANCELLING and FAILING may lead to COMPLETING: when an abort finds that
 * the commit has already won the token, the migration can only complete. Neither leads to the other: they do the
 * same, and trouble on the way is tried again. CUTTING_OVER may go back to PREPARING_TARGET as long as no write
 * block was asked for.
 */
export const migrationTransitions: { readonly [P in MigrationPhase]: readonly MigrationPhase[] } = {
  ACTIVE: ['PREPARING_TARGET', 'CANCELLING', 'FAILING'],
  PREPARING_TARGET: ['CUTTING_OVER', 'CANCELLING', 'FAILING'],
  CUTTING_OVER: ['CATCHING_UP', 'PREPARING_TARGET', 'CANCELLING', 'FAILING'],
  CATCHING_UP: ['COMPLETING', 'CANCELLING', 'FAILING'],
  COMPLETING: ['COMPLETED', 'CANCELLING', 'FAILING'],
  COMPLETED: [],
  CANCELLING: ['CANCELLED', 'COMPLETING'],
  CANCELLED: [],
  FAILING: ['FAILED', 'COMPLETING'],
  FAILED: [],
};

export function isTerminalPhase(phase: MigrationPhase): boolean {
  return migrationTransitions[phase].length === 0;
}

/** Phases in which workers copy and replay; in all others a replay slice ends at once. */
export function isReplayingPhase(phase: MigrationPhase): boolean {
  return phase === 'ACTIVE' || phase === 'PREPARING_TARGET';
}

/** A transition that the table does not have: a bug in the caller, never a state to live with. */
export class IllegalTransitionError extends Error {
  override readonly name = 'IllegalTransitionError';
  constructor(what: string, from: string, to: string) {
    super(`${what} can't go from ${from} to ${to}`);
  }
}

/** Kept of a migration that goes to and fro: the first and the last of them. */
const mostTransitions = 100;

interface HistoryEntry<P> {
  readonly phase: P;
  readonly startTimeMillis: number;
  readonly endTimeMillis?: number;
}

/** Closes the running entry of a history and opens the next; a terminal phase begins and ends at once. */
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
 * @returns the record in its new phase, with history and time of change.
 * @throws IllegalTransitionError when the table has no such transition.
 */
export function moveMigration(
  record: MigrationRecord,
  phase: MigrationPhase,
  nowMillis: number,
): MigrationRecord {
  if (!migrationTransitions[record.phase].includes(phase)) {
    throw new IllegalTransitionError(`migration ${record.migrationId}`, record.phase, phase);
  }
  // What the phase before has waited for says nothing about this one.
  const { waitingFor: _over, heldUp: _passed, ...rest } = record;
  return {
    ...rest,
    phase,
    lastUpdatedMillis: nowMillis,
    transitionHistory: appendTransition(record.transitionHistory, phase, nowMillis, isTerminalPhase(phase)),
  };
}
