import type { MigrationStatus } from '@aosc/client';

export type Attempt = NonNullable<NonNullable<MigrationStatus['cutover']>['attempts']>[number];

/** One step of an attempt, as long as it took. */
export interface AttemptStep {
  readonly name: string;
  readonly millis: number;
  /** what becomes of writes during it */
  readonly writes: 'go on' | 'wait' | 'are refused';
}

/** The steps that an attempt has come to, in their order. After a hold the block is the end of the last one. */
export function stepsOfAttempt({
  steps,
  write_hold_ms: held,
  blocked_ms: blocked = 0,
}: Attempt): readonly AttemptStep[] {
  const writes = held === undefined ? 'are refused' : 'wait';
  const { checks_ms: checks } = steps;
  const underHold = held === undefined || checks === undefined ? checks : Math.max(0, checks - blocked);
  const all: readonly (readonly [string, number | undefined, AttemptStep['writes']])[] = [
    ['Before writers are stopped', steps.before_block_ms, 'go on'],
    ['Until no write runs', steps.confirm_ms, writes],
    ['Last rounds', steps.last_rounds_ms, writes],
    [held === undefined ? 'Checks and swap' : 'Checks', underHold, writes],
    ['Write block, proof and swap', held === undefined || blocked === 0 ? undefined : blocked, 'are refused'],
  ];
  return all.flatMap(([name, millis, each]) =>
    millis === undefined ? [] : [{ name, millis, writes: each }],
  );
}

const outcomes: Readonly<Record<Attempt['outcome'], string>> = {
  running: 'Running',
  put_off: 'Put off before writers were stopped',
  undone: 'Undone, writes went on',
  swapped: 'The alias has moved',
  given_up: 'Given up with the migration',
};

export const wordsForOutcome = ({ outcome }: Attempt): string => outcomes[outcome];
