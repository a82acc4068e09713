import { newShardRecord } from '@aosc/domain';
import { exampleMigration } from '@aosc/testkit';
import type { MigrationFigures } from '@aosc/telemetry';
import { createProgressFigures } from './progress-figures';

function start() {
  const state = {
    millis: 0,
    told: new Map<string, MigrationFigures>() as ReadonlyMap<string, MigrationFigures>,
  };
  const metrics = { setProgress: (told: ReadonlyMap<string, MigrationFigures>) => (state.told = told) };
  return { state, figures: createProgressFigures(metrics, () => state.millis) };
}

const counters = { status: 'IN_PROGRESS', bulkRetries: 0, rounds: 1, startTimeMillis: 1 } as const;
const shard = {
  ...newShardRecord('k', 0, 1),
  backfill: { ...counters, documentsIndexed: 40, currentGap: 60 },
  progress: { totalDocuments: 100, documentsPerSecond: 10 },
  replay: { ...counters, currentGap: 7 },
};

test('a migration that runs shows what it has done and what is left, until it ends', () => {
  const { state, figures } = start();
  const running = exampleMigration({ sourceIndex: 'a', sourceShardCount: 1, phase: 'ACTIVE' });
  figures.note(running, [shard]);
  expect(state.told.get('a')).toEqual({
    documentsIndexed: 40,
    documentsExpected: 100,
    gapOperations: 7,
    remainingSeconds: 6,
  });
  figures.note({ ...running, phase: 'FAILED' }, [shard]);
  expect(state.told.size).toBe(0);
});

test('a migration that another scheduler drives by now is forgotten', () => {
  const { state, figures } = start();
  figures.note(exampleMigration({ sourceIndex: 'old', phase: 'ACTIVE' }), []);
  state.millis = 20_000;
  figures.note(exampleMigration({ sourceIndex: 'new', phase: 'ACTIVE' }), []);
  state.millis = 30_001;
  figures.forgetOld();
  expect([...state.told.keys()]).toEqual(['new']);
});

test('fifty migrations have figures, and the next one when one of them has ended', () => {
  const { state, figures } = start();
  const names = Array.from({ length: 51 }, (_, n) => `index${n}`);
  for (const sourceIndex of names) figures.note(exampleMigration({ sourceIndex, phase: 'ACTIVE' }), []);
  expect([...state.told.keys()]).toEqual(names.slice(0, 50));
  figures.note(exampleMigration({ sourceIndex: 'index0', phase: 'COMPLETED' }), []);
  figures.note(exampleMigration({ sourceIndex: 'index50', phase: 'ACTIVE' }), []);
  expect([...state.told.keys()]).toEqual(names.slice(1));
});
