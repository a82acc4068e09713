import { migrationPhases, type MigrationRecord } from '@aosc/contract';
import { exampleMigration } from '@aosc/testkit';
import { IllegalTransitionError, isTerminalPhase, migrationTransitions, moveMigration } from './transitions';

function createMigration(parts: Partial<MigrationRecord> = {}): MigrationRecord {
  const transitionHistory = [{ phase: 'ACTIVE', startTimeMillis: 1 }] as const;
  return exampleMigration({ startTimeMillis: 1, lastUpdatedMillis: 1, transitionHistory, ...parts });
}

test('ACTIVE -> PREPARING_TARGET closes the running entry of the history and opens the next', () => {
  const moved = moveMigration(createMigration(), 'PREPARING_TARGET', 7);
  expect(moved.phase).toBe('PREPARING_TARGET');
  expect(moved.lastUpdatedMillis).toBe(7);
  expect(moved.transitionHistory).toEqual([
    { phase: 'ACTIVE', startTimeMillis: 1, endTimeMillis: 7 },
    { phase: 'PREPARING_TARGET', startTimeMillis: 7 },
  ]);
});

test('a history is bounded: of a long one the first and the last entries are kept', () => {
  let migration = createMigration();
  for (let at = 2; at < 300; at += 2) {
    migration = moveMigration(moveMigration(migration, 'PREPARING_TARGET', at), 'CUTTING_OVER', at + 1);
    migration = { ...migration, phase: 'ACTIVE' };
  }
  const { transitionHistory } = migration;
  expect(transitionHistory).toHaveLength(100);
  expect(transitionHistory[0]).toMatchObject({ phase: 'ACTIVE', startTimeMillis: 1 });
  expect(transitionHistory[1]).toMatchObject({ startTimeMillis: 2 });
  expect(transitionHistory.at(-2)).toMatchObject({ phase: 'PREPARING_TARGET', endTimeMillis: 299 });
  expect(transitionHistory.at(-1)).toEqual({ phase: 'CUTTING_OVER', startTimeMillis: 299 });
});

test('a terminal phase begins and ends at once', () => {
  const moved = moveMigration(createMigration({ phase: 'CANCELLING' }), 'CANCELLED', 9);
  expect(moved.transitionHistory.at(-1)).toEqual({
    phase: 'CANCELLED',
    startTimeMillis: 9,
    endTimeMillis: 9,
  });
});

test.each(migrationPhases.flatMap((from) => migrationPhases.map((to) => [from, to] as const)))(
  '%s -> %s is refused unless the table has it',
  (from, to) => {
    const move = () => moveMigration(createMigration({ phase: from }), to, 2);
    if (migrationTransitions[from].includes(to)) expect(move().phase).toBe(to);
    else expect(move).toThrow(IllegalTransitionError);
  },
);

test('every phase before an end can be cancelled and can fail', () => {
  const aborting: readonly string[] = ['CANCELLING', 'FAILING'];
  const running = migrationPhases.filter((phase) => !isTerminalPhase(phase) && !aborting.includes(phase));
  expect(running).toHaveLength(5);
  for (const phase of running) {
    expect(migrationTransitions[phase]).toEqual(expect.arrayContaining(['CANCELLING', 'FAILING']));
  }
});

test('a migration that is being undone ends as what it was undone for', () => {
  expect(migrationTransitions.CANCELLING).toEqual(['CANCELLED', 'COMPLETING']);
  expect(migrationTransitions.FAILING).toEqual(['FAILED', 'COMPLETING']);
});
