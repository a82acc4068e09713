import { createMigration } from './__tests__/create-migration';
import { cancelMigration, decideCancel } from './change-migration';

test.each(['ACTIVE', 'PREPARING_TARGET', 'CUTTING_OVER', 'CATCHING_UP', 'COMPLETING'] as const)(
  '%s -> CANCELLING',
  (phase) => {
    const decision = decideCancel(createMigration({ phase }), 9000);
    expect(decision).toMatchObject({
      write: { phase: 'CANCELLING', lastUpdatedMillis: 9000 },
    });
  },
);

test.each(['CANCELLING', 'FAILING'] as const)('%s leads to an end without the swap already', (phase) => {
  expect(decideCancel(createMigration({ phase }), 9000)).toEqual({ already: phase });
});

test.each(['COMPLETED', 'CANCELLED', 'FAILED'] as const)('%s can not be cancelled', (phase) => {
  expect(() => decideCancel(createMigration({ phase }), 9000)).toThrow(
    `Cannot cancel migration for [books] — migration is already in terminal phase: ${phase}`,
  );
});

test('COMPLETING with the commit sent: the swap may be under way', () => {
  const record = createMigration({ phase: 'COMPLETING', commitRequested: true });
  expect(() => decideCancel(record, 9000)).toThrow(
    'Cannot cancel migration for [books] — the alias swap is under way',
  );
});

test.each(['COMPLETING', 'CANCELLING', 'FAILING'] as const)(
  '%s after the swap can only complete',
  (phase) => {
    const record = createMigration({ phase, committed: true });
    expect(() => decideCancel(record, 9000)).toThrow('the alias swap has happened');
  },
);

/** The first request may have failed before it woke the schedulers. */
test('a cancel that is repeated wakes the schedulers as well', async () => {
  const stored = { record: createMigration({ phase: 'CANCELLING' }), seqNo: 1, primaryTerm: 1 };
  const woken: string[] = [];
  const deps = {
    store: {
      findMigrationBySource: () => Promise.resolve(stored),
      confirmMigration: () => Promise.resolve(stored),
    },
    newCall: () => ({ signal: new AbortController().signal }),
    now: () => 9000,
    logger: { info: () => undefined },
    queueClient: {
      wakeMigration(key: string) {
        woken.push(key);
        return Promise.resolve();
      },
    },
  } as unknown as Parameters<typeof cancelMigration>[0];
  expect(await cancelMigration(deps, 'books')).toMatchObject({ phase: 'CANCELLING' });
  expect(woken).toEqual([stored.record.key]);
});

test('who has cancelled it is kept, where the API knows', () => {
  const decision = decideCancel(createMigration(), 9000, 'user rita');
  expect(decision).toMatchObject({ write: { cancelledBy: 'user rita' } });
  expect(decideCancel(createMigration(), 9000)).not.toHaveProperty('write.cancelledBy');
});
