import { type MigrationRecord, recordSchemaVersion } from '@aosc/contract';
import {
  describeAttempts,
  isBlockAnnounced,
  isHeld,
  putOff,
  restForPause,
  undoAttempt,
} from './cutover-attempts';

type Phase = MigrationRecord['phase'];

/** Only what is looked at. @param way phases, each with the moment at which it began */
const record = (way: readonly (readonly [Phase, number])[], parts: Partial<MigrationRecord> = {}) =>
  ({
    schemaVersion: recordSchemaVersion,
    phase: way.at(-1)?.[0] ?? 'ACTIVE',
    committed: false,
    transitionHistory: way.map(([phase, startTimeMillis]) => ({ phase, startTimeMillis })),
    ...parts,
  }) as MigrationRecord;
const before = [
  ['ACTIVE', 0],
  ['PREPARING_TARGET', 10],
] as const;
const block = (requestedAtMillis: number, usersOwn = false) => ({
  writeBlock: { requestedAtMillis, usersOwn, confirmed: true, lifted: false },
});
const context = {
  docCountTolerance: 0,
  docCountValidationPassed: true,
  aliasSwapSucceeded: true,
  cutoverStartMillis: 30,
};

test('before a cutover there is none', () => {
  expect(describeAttempts(record(before))).toEqual([]);
});

test('an attempt that went back to the replay, and an attempt that has begun', () => {
  const back = putOff(
    record([...before, ['CUTTING_OVER', 20], ['PREPARING_TARGET', 25], ['CUTTING_OVER', 40]]),
    'a gap',
    25,
  );
  expect(describeAttempts(back)).toEqual([
    { startedMillis: 20, outcome: 'put_off', reason: 'a gap', steps: { beforeBlockMs: 5 } },
    { startedMillis: 40, outcome: 'running', steps: {} },
  ]);
});

test('one under the write block shows the steps that are over', () => {
  expect(describeAttempts(record([...before, ['CUTTING_OVER', 20], ['CATCHING_UP', 33]], block(30)))).toEqual(
    [{ startedMillis: 20, outcome: 'running', steps: { beforeBlockMs: 10, confirmMs: 3 } }],
  );
});

const swapped = [...before, ['CUTTING_OVER', 20], ['CATCHING_UP', 33], ['COMPLETING', 38]] as const;

test('a swap ends the steps, however long the rest takes', () => {
  const parts = { ...block(30), committed: true, cutoverContext: { ...context, cutoverEndMillis: 45 } };
  expect(describeAttempts(record([...swapped, ['COMPLETED', 900]], parts))).toEqual([
    {
      startedMillis: 20,
      outcome: 'swapped',
      blockedMs: 15,
      steps: { beforeBlockMs: 10, confirmMs: 3, lastRoundsMs: 5, checksMs: 7 },
    },
  ]);
});

test('a block of the operator is not counted as refused writes', () => {
  const parts = { ...block(30, true), committed: true, cutoverContext: { ...context, cutoverEndMillis: 45 } };
  expect(describeAttempts(record([...swapped, ['COMPLETED', 900]], parts))[0]).not.toHaveProperty(
    'blockedMs',
  );
});

test('a failure under the block ends the attempt with its reason', () => {
  const way = [
    ...before,
    ['CUTTING_OVER', 20],
    ['CATCHING_UP', 33],
    ['FAILING', 50],
    ['FAILED', 70],
  ] as const;
  expect(describeAttempts(record(way, { ...block(30), reason: 'a shard failed' }))).toEqual([
    {
      startedMillis: 20,
      outcome: 'given_up',
      reason: 'a shard failed',
      blockedMs: 20,
      steps: { beforeBlockMs: 10, confirmMs: 3, lastRoundsMs: 17 },
    },
  ]);
});

test('a clock that was set back makes no time negative', () => {
  expect(
    describeAttempts(record([...before, ['CUTTING_OVER', 20], ['CATCHING_UP', 12]], block(15)))[0]?.steps,
  ).toEqual({
    beforeBlockMs: 0,
    confirmMs: 0,
  });
});

test('the record keeps the last reasons alone', () => {
  let many = record(before);
  for (let nth = 0; nth < 30; nth++) many = putOff(many, `reason ${nth}`, nth);
  expect(many.putOffs).toHaveLength(20);
  expect(many.putOffs?.at(-1)).toEqual({ atMillis: 29, reason: 'reason 29' });
});

test.each([
  [0, 5],
  [1, 15],
  [2, 60],
  [5, 1800],
  [9, 1800],
])(
  'after %i undone attempts the next one shows its pause, and is followed after %i s',
  (undoneCount, restS) => {
    const way = record([...before, ['CUTTING_OVER', 20], ['CATCHING_UP', 35]], { undoneCount, ...block(30) });
    const undone = undoAttempt({ ...way, phase: 'CATCHING_UP', undoing: 'too long' }, 50);
    expect(undone).toMatchObject({ undoneCount: undoneCount + 1, nextAttemptMillis: 50 + restS * 1000 });
    expect(undone).not.toHaveProperty('undoing');
    expect(isBlockAnnounced(undone)).toBe(false);
    expect(describeAttempts(undone)).toEqual([
      {
        startedMillis: 20,
        outcome: 'undone',
        reason: 'too long',
        blockedMs: 20,
        steps: { beforeBlockMs: 10, confirmMs: 5, lastRoundsMs: 15 },
      },
    ]);
  },
);

const writeHold = { requestedAtMillis: 25, originals: {}, put: {}, givenBack: false };

test.each([
  ['before its block', {}, { writeHoldMs: 25 }],
  ['after its block', block(40), { writeHoldMs: 15, blockedMs: 10 }],
])('an attempt with a hold that is undone %s shows what writers met', (_, parts, pauses) => {
  const way = record([...before, ['CUTTING_OVER', 20], ['CATCHING_UP', 35]], { writeHold, ...parts });
  const undone = undoAttempt({ ...way, phase: 'CATCHING_UP', undoing: 'too long' }, 50);
  expect(undone).toMatchObject({ writeHold: { givenBack: true } });
  expect(isHeld(undone)).toBe(false);
  expect(describeAttempts(undone)).toEqual([
    {
      startedMillis: 20,
      outcome: 'undone',
      reason: 'too long',
      ...pauses,
      steps: { beforeBlockMs: 5, confirmMs: 10, lastRoundsMs: 15 },
    },
  ]);
});

test('a running attempt does not show the hold of the attempt before', () => {
  const given = { ...writeHold, requestedAtMillis: 5, givenBack: true };
  const [attempt] = describeAttempts(record([...before, ['CUTTING_OVER', 20]], { writeHold: given }));
  expect(attempt).toEqual({ startedMillis: 20, outcome: 'running', steps: {} });
});

test('a swap after a hold shows how long writers waited, and how long they were refused', () => {
  const way = record([...before, ['CUTTING_OVER', 20], ['CATCHING_UP', 30], ['COMPLETING', 35]], {
    writeHold,
    ...block(45),
    committed: true,
    cutoverContext: {
      docCountTolerance: 0,
      docCountValidationPassed: true,
      aliasSwapSucceeded: true,
      cutoverStartMillis: 25,
      cutoverEndMillis: 60,
    },
  });
  expect(describeAttempts(way)).toEqual([
    {
      startedMillis: 20,
      outcome: 'swapped',
      writeHoldMs: 20,
      blockedMs: 15,
      steps: { beforeBlockMs: 5, confirmMs: 5, lastRoundsMs: 5, checksMs: 25 },
    },
  ]);
});

test('the rests before a pause that is predicted to be too long grow, and begin again after another reason', () => {
  let rested = record(before);
  const rest = (nowMillis: number) => {
    rested = restForPause(rested, { predictedMs: 9000, reason: 'too long', nowMillis });
    return (rested.nextAttemptMillis ?? 0) - nowMillis;
  };
  const minutes = [1, 5, 15, 30, 30].map((each) => each * 60_000);
  expect([0, 1, 2, 3, 4, 5, 6].map(rest)).toEqual([5000, 15_000, ...minutes]);
  rested = putOff(rested, 'a gap', 7);
  expect(rest(8)).toBe(5000);
  for (let nth = 0; nth < 40; nth++) rest(nth);
  expect(rest(50)).toBe(1_800_000);
  expect(rested.putOffs).toHaveLength(20);
});

test('of many put-offs those stay that other rules need: the last with a rest, and the last under a block', () => {
  const one = (atMillis: number, lasted: object = {}) => ({ atMillis, reason: 'why', ...lasted });
  const needed = [one(1, { blockedMs: 5 }), one(2, { predictedMs: 9000 })];
  let after = { ...record(before), putOffs: needed };
  for (let n = 3; n < 40; n++) after = { ...after, ...putOff(after, 'why', n) };
  expect(after.putOffs).toHaveLength(20);
  expect(after.putOffs.slice(0, 3)).toEqual([...needed, one(22)]);
  expect(after.putOffs.at(-1)).toEqual(one(39));
});
