import { type MigrationPhase, migrationPhases } from '@aosc/contract';
import { exampleMigration, moveRead } from '@aosc/testkit';
import {
  IllegalTransitionError,
  mayMove,
  type MigrationIn,
  migrationTransitions,
  moveMigration,
} from './transitions';
import { isAbortingPhase, isTerminalPhase } from '../phases';

function createMigration<P extends MigrationPhase>(phase: P): MigrationIn<P> {
  const transitionHistory = [{ phase: 'ACTIVE', startTimeMillis: 1 }] as const;
  return { ...exampleMigration({ startTimeMillis: 1, lastUpdatedMillis: 1, transitionHistory }), phase };
}

test('ACTIVE -> PREPARING_TARGET closes the running entry of the history and opens the next', () => {
  const moved = moveMigration(createMigration('ACTIVE'), 'PREPARING_TARGET', 7);
  expect(moved.phase).toBe('PREPARING_TARGET');
  expect(moved.lastUpdatedMillis).toBe(7);
  expect(moved.transitionHistory).toEqual([
    { phase: 'ACTIVE', startTimeMillis: 1, endTimeMillis: 7 },
    { phase: 'PREPARING_TARGET', startTimeMillis: 7 },
  ]);
});

test('a history is bounded: of a long one the first and the last entries are kept', () => {
  let migration = createMigration('ACTIVE');
  for (let at = 2; at < 300; at += 2) {
    const moved = moveMigration(moveMigration(migration, 'PREPARING_TARGET', at), 'CUTTING_OVER', at + 1);
    migration = { ...moved, phase: 'ACTIVE' };
  }
  const { transitionHistory } = migration;
  expect(transitionHistory).toHaveLength(100);
  expect(transitionHistory[0]).toMatchObject({ phase: 'ACTIVE', startTimeMillis: 1 });
  expect(transitionHistory[1]).toMatchObject({ startTimeMillis: 2 });
  expect(transitionHistory.at(-2)).toMatchObject({ phase: 'PREPARING_TARGET', endTimeMillis: 299 });
  expect(transitionHistory.at(-1)).toEqual({ phase: 'CUTTING_OVER', startTimeMillis: 299 });
});

test('a terminal phase begins and ends at once', () => {
  const moved = moveMigration(createMigration('CANCELLING'), 'CANCELLED', 9);
  expect(moved.transitionHistory.at(-1)).toEqual({
    phase: 'CANCELLED',
    startTimeMillis: 9,
    endTimeMillis: 9,
  });
});

test.each(migrationPhases.flatMap((from) => migrationPhases.map((to) => [from, to] as const)))(
  '%s -> %s is refused unless the table has it',
  (from, to) => {
    const allowed: readonly MigrationPhase[] = migrationTransitions[from];
    expect(mayMove(createMigration(from), to)).toBe(allowed.includes(to));
    const move = () => moveRead(createMigration(from), to, 2);
    if (allowed.includes(to)) expect(move().phase).toBe(to);
    else expect(move).toThrow(IllegalTransitionError);
  },
);

describe('what does not compile, and is refused all the same', () => {
  const refused = (move: () => unknown) => expect(move).toThrow(IllegalTransitionError);

  test('an exit that the table does not have', () => {
    // @ts-expect-error -- ACTIVE does not lead there
    refused(() => moveMigration(createMigration('ACTIVE'), 'COMPLETED', 2));
    // @ts-expect-error -- a migration that is being undone for a failure does not end CANCELLED
    refused(() => moveMigration(createMigration('FAILING'), 'CANCELLED', 2));
    // @ts-expect-error -- an end leads nowhere
    refused(() => moveMigration(createMigration('COMPLETED'), 'FAILING', 2));
  });

  test('a transition that only some of the possible phases have', () => {
    const aborted: MigrationIn<'CANCELLING' | 'FAILING'> = createMigration('FAILING');
    // @ts-expect-error -- CANCELLING does, FAILING does not
    refused(() => moveMigration(aborted, 'CANCELLED', 2));
    expect(moveMigration(aborted, 'COMPLETING', 2).phase).toBe('COMPLETING');
  });

  test('a transition of a record whose phase is unknown', () => {
    const read = exampleMigration({ phase: 'COMPLETED' });
    // @ts-expect-error -- it may have ended
    refused(() => moveMigration(read, 'CANCELLING', 2));
  });
});

test('every phase before an end can be cancelled and can fail', () => {
  const running = migrationPhases.filter((phase) => !isTerminalPhase(phase) && !isAbortingPhase(phase));
  expect(running).toHaveLength(5);
  for (const phase of running) {
    expect(migrationTransitions[phase]).toEqual(expect.arrayContaining(['CANCELLING', 'FAILING']));
  }
});

test('a migration that is being undone ends as what it was undone for', () => {
  expect(migrationTransitions.CANCELLING).toEqual(['CANCELLED', 'COMPLETING']);
  expect(migrationTransitions.FAILING).toEqual(['FAILED', 'COMPLETING']);
});
