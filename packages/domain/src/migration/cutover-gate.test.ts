import type { MigrationRecord, ResolvedOptions } from '@aosc/contract';
import { exampleMigration } from '@aosc/testkit';
import { putOff, undoAttempt } from './cutover-attempts';
import { decideGate, isForcedNow, mayBePostponed } from './cutover-gate';

type When = Pick<ResolvedOptions, 'cutover' | 'cutoverNotBefore' | 'cutoverWindows' | 'rehearse'>;

const base: ResolvedOptions = {
  convergenceThresholdPerShard: 500,
  maxConvergenceRoundsPerShard: 1000,
  docCountTolerance: 0,
  acceptDataLossIfCustomRoutingIsUsed: false,
  targetReadyTimeoutSeconds: 60,
  removeSourceWriteBlockOnSuccess: false,
  transientTargetSettings: {},
};
const record = (when: When, order?: NonNullable<MigrationRecord['cutoverOrder']>['type']) => ({
  options: { ...base, ...when },
  ...(order !== undefined && { cutoverOrder: { type: order, atMillis: 0 } }),
});
const at = (text: string): number => Date.parse(text);
const night = { from: '22:00', to: '04:00', timeZone: 'Europe/Berlin', days: ['fri'] } as const;
// 2026-11-27 is a Friday; Berlin is an hour ahead of UTC.
const fridayNoon = at('2026-11-27T12:00:00Z');

test.each([
  ['nothing is said', {}, undefined, 'open'],
  ['manual', { cutover: 'manual' }, undefined, 'postponed'],
  ['a rehearsal waits for none', { cutover: 'manual', rehearse: true }, 'postponed', 'open'],
  ['manual and approved', { cutover: 'manual' }, 'approved', 'open'],
  [
    'manual, approved, outside of the window',
    { cutover: 'manual', cutoverWindows: [night] },
    'approved',
    'waiting_for_window',
  ],
  ['manual, forced, outside of the window', { cutover: 'manual', cutoverWindows: [night] }, 'forced', 'open'],
  ['automatic and postponed', { cutover: 'automatic' }, 'postponed', 'postponed'],
  ['a window that is closed', { cutoverWindows: [night] }, undefined, 'waiting_for_window'],
  ['a date to come', { cutoverNotBefore: '2026-11-27T12:00:01Z' }, undefined, 'waiting_for_window'],
  ['a date to come, forced', { cutoverNotBefore: '2026-11-27T12:00:01Z' }, 'forced', 'open'],
  ['a date that has come', { cutoverNotBefore: '2026-11-27T12:00:00Z' }, undefined, 'open'],
] as const)('%s: %j %s -> %s', (_what, when, order, type) => {
  expect(decideGate(record(when, order), fridayNoon).type).toBe(type);
});

test.each([
  ['2026-11-27T20:59:59Z', false],
  ['2026-11-27T21:00:00Z', true],
  ['2026-11-28T02:59:59Z', true],
  ['2026-11-28T03:00:00Z', false],
  ['2026-11-28T21:00:00Z', false],
])('a window from Friday 22:00 to 04:00 in Berlin is open at %s: %s', (time, isOpen) => {
  expect(decideGate(record({ cutoverWindows: [night] }), at(time)).type === 'open').toBe(isOpen);
});

test.each([
  ['2026-11-27T12:00:30Z', '2026-11-27T21:00:00.000Z'],
  ['2026-11-28T03:00:00Z', '2026-12-04T21:00:00.000Z'],
  // The clocks in Berlin are put forward on 2027-03-28.
  ['2027-03-27T12:00:00Z', '2027-04-02T20:00:00.000Z'],
])('at %s it opens next at %s', (time, opens) => {
  const gate = decideGate(record({ cutoverWindows: [night] }), at(time));
  expect(gate.type === 'open' ? undefined : new Date(gate.opensAtMillis ?? 0).toISOString()).toBe(opens);
});

test('a date outside of the windows is followed by the next window', () => {
  const when = { cutoverNotBefore: '2026-11-27T23:00:00+09:00', cutoverWindows: [night] };
  expect(decideGate(record(when), fridayNoon)).toMatchObject({ opensAtMillis: at('2026-11-27T21:00:00Z') });
});

test('windows of several zones: one open window is enough', () => {
  const all = { from: '12:00', to: '12:01' };
  expect(decideGate(record({ cutoverWindows: [night, all] }), fridayNoon).type).toBe('open');
});

test('a whole day, by hours that end at midnight', () => {
  const when = { cutoverWindows: [{ from: '00:00', to: '24:00', days: ['fri'] as const }] };
  expect(decideGate(record(when), fridayNoon).type).toBe('open');
  expect(decideGate(record(when), at('2026-11-28T00:00:00Z')).type).toBe('waiting_for_window');
});

test('a record bears the later version when anything keeps its cutover waiting', () => {
  expect(mayBePostponed(record({}))).toBe(false);
  expect(mayBePostponed(record({ cutover: 'automatic' }, 'postponed'))).toBe(true);
  expect(mayBePostponed(record({ cutoverNotBefore: '2026-11-27T12:00:01Z' }))).toBe(true);
});

test.each([
  [undefined, 'backing_off'],
  [{ type: 'approved', atMillis: 60 }, 'backing_off'],
  [{ type: 'forced', atMillis: 40 }, 'backing_off'],
  [{ type: 'forced', atMillis: 60 }, 'open'],
] as const)('between an undone attempt and the next, %j: %s', (order, type) => {
  const putOffs = [{ atMillis: 50, reason: 'too long', blockedMs: 5 }];
  const gate = decideGate(
    { options: base, putOffs, nextAttemptMillis: 100, ...(order !== undefined && { cutoverOrder: order }) },
    70,
  );
  expect(gate).toMatchObject({ type, ...(type === 'backing_off' && { opensAtMillis: 100 }) });
});

test('a clock that was set back does not make the rest after an undo longer', () => {
  const undoneAt = fridayNoon;
  const putOffs = [{ atMillis: undoneAt, reason: 'too long', blockedMs: 5 }];
  const rested = { ...record({}), putOffs, nextAttemptMillis: undoneAt + 5000 };
  expect(decideGate(rested, undoneAt - 3_600_000).type).toBe('open');
  // The clocks of two schedulers may differ.
  expect(decideGate(rested, undoneAt - 1000).type).toBe('backing_off');
});

test('while its pause is predicted to be too long it backs off and says so, unless a person forces it afterwards', () => {
  const rested = {
    ...record({}),
    putOffs: [{ atMillis: 10, reason: 'predicted to last 9 s', predictedMs: 9000 }],
    nextAttemptMillis: 5010,
  };
  expect(decideGate(rested, 20)).toEqual({
    type: 'backing_off',
    waitsFor: 'predicted to last 9 s',
    opensAtMillis: 5010,
  });
  const forced = (atMillis: number) => ({ ...rested, cutoverOrder: { type: 'forced', atMillis } as const });
  expect(decideGate(forced(9), 20).type).toBe('backing_off');
  expect(decideGate(forced(11), 20).type).toBe('open');
});

test.each([{ blockedMs: 5 }, { heldMs: 5 }, { predictedMs: 9000 }])(
  'a look that goes back before the attempt uses up no order, and hides no reason: %j',
  (lasted) => {
    const putOffs = [
      { atMillis: 10, reason: 'too long', ...lasted },
      { atMillis: 40, reason: 'a round takes too long' },
    ];
    const rested = { ...record({}), putOffs, nextAttemptMillis: 5010 };
    const forced = { ...rested, cutoverOrder: { type: 'forced', atMillis: 20 } as const };
    expect(decideGate(forced, 50)).toEqual({ type: 'open' });
    const waitsFor = 'predictedMs' in lasted ? 'too long' : 'the time between an undone attempt and the next';
    expect(decideGate(rested, 50)).toMatchObject({ type: 'backing_off', waitsFor });
  },
);

test.each([[true], [false]])(
  "an attempt that is undone uses up the order, although the API's clock is ahead; user's own block: %s",
  (usersOwn) => {
    const writeBlock = { requestedAtMillis: 30, usersOwn, confirmed: true, lifted: false };
    const forced = exampleMigration({
      phase: 'PREPARING_TARGET',
      cutoverOrder: { type: 'forced', atMillis: 7000 },
    });
    expect(isForcedNow(putOff(forced, 'a round takes too long', 20))).toBe(true);
    const undone = undoAttempt({ ...forced, writeBlock, undoing: 'too long', phase: 'CATCHING_UP' }, 50);
    expect(isForcedNow(undone)).toBe(false);
  },
);
