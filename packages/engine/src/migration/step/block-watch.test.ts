import type { MigrationRecord, WriteBlock } from '@aosc/contract';
import { createMigration } from '../runner/__tests__/clear-bench';
import { BlockWatch } from './block-watch';

const maxMs = 60_000;
const hour = 3_600_000;
const requestedAtMillis = 10 * hour;

function blocked(parts: Partial<WriteBlock> = {}, key = 'k'): MigrationRecord {
  const writeBlock = { requestedAtMillis, usersOwn: false, confirmed: true, lifted: false, ...parts };
  return createMigration({ key, phase: 'CATCHING_UP', writeBlock });
}

/** A process that starts when the block is asked for, and its two clocks. */
function createWatch() {
  const clocks = { now: requestedAtMillis, monotonic: 5 };
  const watch = new BlockWatch({ now: () => clocks.now, monotonic: () => clocks.monotonic });
  return {
    pass: (ms: number) => {
      clocks.now += ms;
      clocks.monotonic += ms;
    },
    jump: (ms: number) => (clocks.now += ms),
    isOverdue: (record = blocked()) => watch.isOverdue(record, maxMs),
  };
}

test('a block may last exactly as long as it is allowed to', () => {
  const { pass, isOverdue } = createWatch();
  pass(maxMs);
  expect(isOverdue()).toBe(false);
  pass(1);
  expect(isOverdue()).toBe(true);
});

test.each([-hour, -100 * hour])('a clock that is set back (%i ms) does not make it last longer', (back) => {
  const { pass, jump, isOverdue } = createWatch();
  expect(isOverdue()).toBe(false);
  pass(1000);
  jump(back);
  expect(isOverdue()).toBe(false);
  pass(maxMs - 1000);
  expect(isOverdue()).toBe(false);
  pass(1);
  expect(isOverdue()).toBe(true);
});

test('a process that starts when the clock is set back already counts from its first sight', () => {
  const { pass, jump, isOverdue } = createWatch();
  pass(maxMs / 2);
  jump(-hour);
  expect(isOverdue()).toBe(false);
  pass(maxMs + 1);
  expect(isOverdue()).toBe(true);
});

test('the date in the record counts for a process that has just started', () => {
  const { pass, isOverdue } = createWatch();
  pass(maxMs + 1);
  expect(isOverdue()).toBe(true);
});

test('a clock that is set ahead ends the block early: it may as well have been on for so long', () => {
  const { jump, isOverdue } = createWatch();
  expect(isOverdue()).toBe(false);
  jump(hour);
  expect(isOverdue()).toBe(true);
});

test('each block has its own time, also a later one of the same migration', () => {
  const { pass, jump, isOverdue } = createWatch();
  isOverdue();
  jump(-hour);
  pass(maxMs);
  expect(isOverdue(blocked({}, 'other'))).toBe(false);
  expect(isOverdue(blocked({ requestedAtMillis: requestedAtMillis + 1 }))).toBe(false);
  pass(1);
  expect(isOverdue()).toBe(true);
  expect(isOverdue(blocked({}, 'other'))).toBe(false);
});

test('a block that nobody has asked about for an hour is forgotten', () => {
  const { pass, jump, isOverdue } = createWatch();
  isOverdue();
  jump(-100 * hour);
  pass(hour + 1);
  isOverdue(blocked({}, 'other'));
  expect(isOverdue()).toBe(false);
});

test.each<[string, MigrationRecord]>([
  ['no block', createMigration()],
  ["the user's own", blocked({ usersOwn: true })],
  ['a lifted one', blocked({ lifted: true })],
  ['one whose swap has happened', { ...blocked(), committed: true }],
])('%s is never overdue', (_, record) => {
  const { pass, isOverdue } = createWatch();
  pass(hour);
  expect(isOverdue(record)).toBe(false);
});
