import type { MigrationRecord } from '@aosc/contract';
import { isForcedNow } from '@aosc/domain';
import { createMigration } from './__tests__/create-migration';
import { decideOrder, orderMillis, readCutoverRequest } from './change-migration';

const approved = { type: 'approved', atMillis: 9000, by: 'key ops' } as const;
const forced = { type: 'forced', atMillis: 9000 } as const;
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

test.each(['ACTIVE', 'PREPARING_TARGET'] as const)(
  '%s: the block under which the target is made of files is no cutover',
  (phase) => {
    const record = createMigration({ phase, writeBlock });
    for (const order of [approved, postponed]) {
      expect(decideOrder(record, order)).toEqual({ ...record, cutoverOrder: order });
    }
  },
);

test.each(['CUTTING_OVER', 'CATCHING_UP', 'COMPLETING'] as const)(
  '%s with the write block announced: an undo of the attempt keeps an approval or a force, a postponement comes too late',
  (phase) => {
    const record = createMigration({ phase, writeBlock });
    for (const order of [approved, forced]) {
      expect(decideOrder(record, order)).toEqual({ ...record, cutoverOrder: order });
    }
    expect(() => decideOrder(record, postponed)).toThrow('the cutover has begun');
  },
);

const setAsideAccepted = { digest: 'abc', atMillis: 9000, by: 'key ops' };

test.each([
  [forced, forced],
  [postponed, postponed],
  [undefined, approved],
])('after the order %j, accepted documents leave %j', (before, after) => {
  const record = createMigration({ phase: 'PREPARING_TARGET', ...(before && { cutoverOrder: before }) });
  const left = { ...record, cutoverOrder: after, setAsideAccepted };
  expect(decideOrder(record, approved, 'abc')).toEqual(left);
});

test('a force with accepted documents takes the place of a postponement', () => {
  const record = createMigration({ phase: 'PREPARING_TARGET', cutoverOrder: postponed });
  const accepted = { digest: 'abc', atMillis: 9000 };
  const left = { ...record, cutoverOrder: forced, setAsideAccepted: accepted };
  expect(decideOrder(record, forced, 'abc')).toEqual(left);
});

test('a force counts although the scheduler that has put the cutover off has a faster clock', () => {
  const putOffs = [{ atMillis: 12_000, reason: 'gaps' }];
  const cutoverOrder = { type: 'forced', atMillis: orderMillis({ putOffs }, 9000) } as const;
  expect(isForcedNow({ putOffs, cutoverOrder })).toBe(true);
  expect(orderMillis({}, 9000)).toBe(9000);
});

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
