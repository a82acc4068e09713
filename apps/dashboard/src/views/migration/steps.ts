import type { MigrationPhase, MigrationStatus } from '@aosc/client';
import { hasEnded } from '../../explain/phase-names';
import { spansOf } from './phase-spans';

export interface Step {
  readonly phase: MigrationPhase;
  /** `open`: to come */
  readonly state: 'done' | 'now' | 'open';
  /** in this phase altogether: a migration may try its cutover more than once */
  readonly durationMillis: number;
}

const way: readonly MigrationPhase[] = [
  'ACTIVE',
  'PREPARING_TARGET',
  'CUTTING_OVER',
  'CATCHING_UP',
  'COMPLETING',
  'COMPLETED',
];
const undone: Readonly<Partial<Record<MigrationPhase, readonly MigrationPhase[]>>> = {
  CANCELLING: ['CANCELLING', 'CANCELLED'],
  CANCELLED: ['CANCELLING', 'CANCELLED'],
  FAILING: ['FAILING', 'FAILED'],
  FAILED: ['FAILING', 'FAILED'],
};

/** The steps of a migration from its first phase to its end; a migration that is undone ends in other steps. */
export function stepsOf(
  phase: MigrationPhase,
  transitions: MigrationStatus['transition_history'],
  nowMillis: number,
): readonly Step[] {
  const spans = spansOf(transitions, nowMillis, hasEnded(phase));
  const reached = new Map<MigrationPhase, number>();
  for (const span of spans) reached.set(span.phase, (reached.get(span.phase) ?? 0) + span.durationMillis);
  const end = undone[phase];
  const steps = end === undefined ? way : [...way.filter((step) => reached.has(step)), ...end];
  const at = steps.indexOf(phase);
  return steps.map((step, n) => ({
    phase: step,
    state: n < at || (n === at && hasEnded(phase)) ? 'done' : n === at ? 'now' : 'open',
    durationMillis: reached.get(step) ?? 0,
  }));
}
