import type { MigrationRecord } from '@aosc/contract';
import { createMigration } from './__tests__/create-migration';
import { decideOrder, readCutoverRequest } from './change-migration';

const approved = { type: 'approved', atMillis: 9000, by: 'key ops' } as const;
const postponed = { type: 'postponed', atMillis: 9000 } as const;
const writeBlock: NonNullable<MigrationRecord['writeBlock']> = {
  requestedAtMillis: 1,
  usersOwn: false,
  confirmed: false,
  lifted: false,
};

test.each(['ACTIVE', 'PREPARING_TARGET', 'CUTTING_OVER'] as const)(
  '%s: the last word is written down',
  (phase) => {
    const record = createMigration({ phase, cutoverOrder: postponed });
    expect(decideOrder(record, approved)).toEqual({ ...record, cutoverOrder: approved });
  },
);

test.each(['CUTTING_OVER', 'CATCHING_UP', 'COMPLETING'] as const)(
  '%s with the write block announced: an approval has what it wants, a postponement comes too late',
  (phase) => {
    const record = createMigration({ phase, writeBlock });
    expect(decideOrder(record, approved)).toBeUndefined();
    expect(() => decideOrder(record, postponed)).toThrow('the cutover has begun');
  },
);

test.each([
  ['COMPLETED', {}, 'terminal phase'],
  ['CANCELLED', {}, 'terminal phase'],
  ['COMPLETING', { committed: true, writeBlock }, 'the alias swap has happened'],
  ['CANCELLING', {}, 'the migration is given up'],
  ['FAILING', { writeBlock }, 'the migration is given up'],
] as const)('%s %j takes no order', (phase, parts, why) => {
  expect(() => decideOrder(createMigration({ phase, ...parts }), approved)).toThrow(why);
});

test('a rehearsal takes no order', () => {
  const { options, ...rest } = createMigration({ phase: 'PREPARING_TARGET' });
  const rehearsal = { ...rest, options: { ...options, rehearse: true } };
  expect(() => decideOrder(rehearsal, approved)).toThrow('it is a rehearsal');
});

test.each([
  [undefined, 'approved'],
  [{}, 'approved'],
  [{ force: false, postpone: false }, 'approved'],
  [{ force: true }, 'forced'],
  [{ postpone: true }, 'postponed'],
])('the body %j means %s', (body, type) => {
  expect(readCutoverRequest(body)).toEqual({ order: type });
});

test('what is accepted begins the cutover, and can not be postponed with the same word', () => {
  const digest = 'abc';
  expect(readCutoverRequest({ accept_set_aside: digest })).toEqual({
    order: 'approved',
    acceptSetAside: digest,
  });
  expect(() => readCutoverRequest({ accept_set_aside: digest, postpone: true })).toThrow('say one of them');
});
