import type { MigrationPhase, MigrationRecord } from '@aosc/contract';
import type { Random } from '@aosc/testkit';
import type { Arena } from './arena';
import type { HeldKind, LateAnswers } from './late-answers';

/** What a fault does its harm to. */
export interface Victim {
  readonly arena: Arena;
  readonly random: Random;
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly alias: string;
  /** Says that the harm is done now: what a fault looks up first takes time, and phases are short. */
  mark(): void;
  /** how many operations of the writers were acknowledged so far */
  acknowledged(): number;
  /** Says what a node that came back has answered by its old state. */
  tellLate(answers: LateAnswers & { readonly kind: HeldKind }): void;
}

/** The fault found nothing to do its harm to: the run says nothing about it. */
export class NotStruck extends Error {
  override readonly name = 'NotStruck';
}

/**
 * How a migration must end.
 * `exact`: COMPLETED. `exact_or_safe`: COMPLETED or FAILED. `safe`: FAILED. Whatever it is, COMPLETED means an exact target,
 * and anything else the alias on a source that takes writes. Two things are allowed always: FAILED because a fault
 * that came under the write block made it last too long, and the end that was asked for before the fault came.
 */
type Demand = 'exact' | 'exact_or_safe' | 'safe';

export interface Fault {
  readonly name: string;
  /** for the report: what happens */
  readonly what: string;
  readonly demand: Demand;
  /** phases in which it is worth something; left out: all */
  readonly phases?: readonly StrikePhase[];
  /**
   * `source`: no client can write to it any more, whatever the service does. `records`: nothing is left that could end.
   */
  readonly destroys?: 'source' | 'records';
  /** OpenSearch itself repeats operations that may have been done already, or the writers' index is not there for them. */
  readonly disturbsWriters?: true;
  /** While it lasts, perhaps no process of the service can reach OpenSearch to lift the write block. */
  readonly hindersUs?: true;
  /** It lets applications write where the copy is over, so a write can land in the source after the swap. */
  readonly letsWritesStray?: true;
  /** further indices that the alias is on from then on */
  readonly alsoHolds?: (victim: Victim) => readonly string[];
  /** Does it, and undoes it. Returns when it is over. @throws NotStruck */
  readonly strike: (victim: Victim) => Promise<void>;
}

/** Where a migration is when a fault comes. */
export const strikePhases = [
  'ACTIVE',
  'BACKFILLING',
  'CONVERGING',
  'PREPARING_TARGET',
  'CUTTING_OVER',
  'CATCHING_UP',
  'COMPLETING',
  'CANCELLING',
  'FAILING',
] as const;
export type StrikePhase = (typeof strikePhases)[number];

/** Phases in which nothing is blocked yet and nothing was decided. */
export const beforeTheBlock = ['ACTIVE', 'BACKFILLING', 'CONVERGING', 'PREPARING_TARGET'] as const;
/** As above, or the end has been asked for: in no case has an application been moved to the target. */
export const beforeTheSwap = [...beforeTheBlock, 'CANCELLING', 'FAILING'] as const;

export function mayBeBlocked({ writeBlock }: Pick<MigrationRecord, 'writeBlock'>): boolean {
  return writeBlock !== undefined;
}

export function isOver(phase: MigrationPhase): boolean {
  return phase === 'COMPLETED' || phase === 'CANCELLED' || phase === 'FAILED';
}
