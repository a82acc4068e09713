import type { MigrationStatus } from '@aosc/client';

export type Attempt = NonNullable<NonNullable<MigrationStatus['cutover']>['attempts']>[number];

/** One step of an attempt, as long as it took. */
export interface AttemptStep {
  readonly name: string;
  readonly millis: number;
  /** writes are refused during it */
  readonly isBlocked: boolean;
}

const steps: readonly (readonly [key: keyof Attempt['steps'], name: string])[] = [
  ['before_block_ms', 'Before the write block'],
  ['confirm_ms', 'Until no write runs'],
  ['last_rounds_ms', 'Last rounds'],
  ['checks_ms', 'Checks and swap'],
];

/** The steps that an attempt has come to, in their order. */
export function stepsOfAttempt({ steps: took }: Attempt): readonly AttemptStep[] {
  return steps.flatMap(([key, name]) => {
    const millis = took[key];
    return millis === undefined ? [] : [{ name, millis, isBlocked: key !== 'before_block_ms' }];
  });
}

const outcomes: Readonly<Record<Attempt['outcome'], string>> = {
  running: 'Running',
  put_off: 'Put off before the write block',
  undone: 'Undone, writes went on',
  swapped: 'The alias has moved',
  given_up: 'Given up with the migration',
};

export const wordsForOutcome = ({ outcome }: Attempt): string => outcomes[outcome];
