import type { MigrationRecord } from '@aosc/contract';
import { exampleMigration } from '@aosc/testkit';
import { clearedNote, describeEnd, readEndMessage, wasCleared } from './end-message';

const undone = { undone: true };
const left = { undone: false };
const leftNote =
  `${clearedNote}; undo=false: a write block on [books] and changed settings of [books2] were left ` +
  'as they are';
const notRestored = 'set back on target index [books2] yourself: [a; b] to [$& 1]: refused';

test.each([
  ['nothing', {}, undefined],
  ['a reason', { reason: 'counts differ; by 1' }, 'counts differ; by 1'],
  ['a clearing', { clearings: [undone] }, clearedNote],
  ['a clearing that undoes nothing', { clearings: [left] }, leftNote],
  ['a reason and a clearing', { reason: 'x', clearings: [undone] }, `x; ${clearedNote}`],
  [
    'a clearing that undoes, and a clearing that no longer does',
    { reason: 'x', clearings: [undone, left] },
    `x; ${clearedNote}; ${leftNote}`,
  ],
  ['settings that are left', { notRestored }, notRestored],
  [
    'all of it',
    { reason: 'x', clearings: [left, undone], notRestored },
    `x; ${leftNote}; ${clearedNote}; ${notRestored}`,
  ],
] as const)('%s is described, and understood again', (_, parts: Partial<MigrationRecord>, message) => {
  const { notRestored: note, ...end } = parts;
  const record = exampleMigration(note === undefined ? {} : { notRestored: note });
  expect(describeEnd({ ...record, ...end })).toBe(message);
  if (message !== undefined) expect(readEndMessage(message, record)).toEqual(end);
});

test('the notes of another migration are part of the reason', () => {
  const record = exampleMigration({ sourceIndex: 'comics' });
  expect(readEndMessage(leftNote, record)).toEqual({ reason: leftNote });
});

test('a migration was cleared when it says so', () => {
  expect(wasCleared({ clearings: [left] })).toBe(true);
  expect(wasCleared({ clearings: [] })).toBe(false);
  expect(wasCleared(exampleMigration({ reason: clearedNote }))).toBe(false);
});
