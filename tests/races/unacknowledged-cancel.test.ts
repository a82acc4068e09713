import type { MigrationStore } from '@aosc/store';
import { timeLimit } from '@aosc/signals';
import { cancelMigration } from '../../apps/api/src/change-migration';
import { someDocuments } from './support/pairs';
import { startStalledPair, unlessItPasses } from './support/stalled-pair';
import { type StalledReplication, startStalledReplication } from './support/stalled-replication';

jest.setTimeout(600_000);

let stalled: StalledReplication;
beforeAll(async () => {
  stalled = await startStalledReplication();
});
afterEach(() => stalled.heal());
afterAll(() => stalled.stop());

const depsOf = (store: MigrationStore) =>
  ({
    store,
    newCall: () => ({ signal: timeLimit(60_000) }),
    now: () => Date.now(),
    traces: { moved: () => undefined },
    logger: { info: () => undefined, warn: () => undefined },
    queueClient: { wakeMigration: () => Promise.resolve() },
  }) as unknown as Parameters<typeof cancelMigration>[0];

/** The first cancel has no answer. The caller asks once more, and learns that the migration is being cancelled. */
test('a cancel that only the primary shows is not said to be on its way', async () => {
  const harness = await startStalledPair(stalled, { documents: someDocuments(50) });
  await harness.backfill();
  await harness.round();

  stalled.stall();
  const first = await cancelMigration(depsOf(stalled.dying), harness.source).catch((error: unknown) => {
    unlessItPasses(error);
    return 'no answer';
  });
  const second = await cancelMigration(depsOf(stalled.hurried), harness.source).catch((error: unknown) => {
    unlessItPasses(error);
    return 'no answer';
  });
  await stalled.killPrimary();
  const { phase } = await harness.runUntil('COMPLETED');
  expect([first, second].includes('CANCELLING') && phase === 'COMPLETED').toBe(false);
});
