import type { MigrationRecord } from '@aosc/contract';
import { exampleMigration } from '@aosc/testkit';
import { isBlockOfAnother, isLongUndone } from './late-block';

const guardMs = 60_000;
const contextAt = (now: number) => ({ clock: { now: () => now }, timing: { guardMs } });
const block = { requestedAtMillis: 1000, usersOwn: false, confirmed: false, lifted: true };
const undoneAt = (atMillis: number): NonNullable<MigrationRecord['putOffs']> => [
  { atMillis, reason: 'why', blockedMs: 5 },
];

test.each<[what: string, parts: Partial<MigrationRecord>, now: number, isPast: boolean]>([
  ['without a block', { putOffs: undoneAt(2000) }, 99_000, false],
  ['without an undo', { writeBlock: block }, 99_000, false],
  [
    'just undone: a request may land late',
    { writeBlock: block, putOffs: undoneAt(2000) },
    2000 + guardMs - 1,
    false,
  ],
  [
    "undone long ago: the block is a client's",
    { writeBlock: block, putOffs: undoneAt(2000) },
    2000 + guardMs,
    true,
  ],
  [
    'a block that came after the undo, and was lifted by an abort',
    { writeBlock: { ...block, requestedAtMillis: 3000 }, putOffs: undoneAt(2000) },
    99_000,
    false,
  ],
])('%s', (_, parts, now, isPast) => {
  expect(isLongUndone(contextAt(now), exampleMigration(parts))).toBe(isPast);
});

describe('a block on the source of an ended migration, whose other migrations the list of active ones leaves out', () => {
  const ended = exampleMigration({ phase: 'FAILED', sourceUuid: 's' });
  const isOfAnother = (find: () => Promise<MigrationRecord | undefined>) =>
    isBlockOfAnother(
      {
        store: {
          releaseClaims: () => Promise.resolve(),
          findMigrationUsing: find,
          listActive: () => Promise.resolve([]),
        },
        signal: new AbortController().signal,
      },
      ended,
    );
  const blocking = {
    key: 'f'.repeat(20),
    phase: 'CATCHING_UP',
    writeBlock: { ...block, lifted: false },
  } as const;

  test.each([
    ['no migration has the source', undefined, false],
    ['the next migration has it', exampleMigration({ ...blocking, sourceUuid: 's' }), true],
    ['another index has its name', exampleMigration({ ...blocking, sourceUuid: 'other' }), false],
  ] as const)('%s', async (_, using, expected) => {
    expect(await isOfAnother(() => Promise.resolve(using))).toBe(expected);
  });

  test('the record of the migration that has it can not be read: it stays in doubt', async () => {
    const newer = new Error('of a later version');
    await expect(isOfAnother(() => Promise.reject(newer))).rejects.toBe(newer);
  });
});
