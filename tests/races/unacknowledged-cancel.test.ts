import { isClusterError } from '@aosc/engine';
import type { MigrationStore } from '@aosc/store';
import { timeLimit } from '@aosc/signals';
import { cancelMigration } from '../../apps/api/src/cancel-migration';
import { createPair, someDocuments } from './support/pairs';
import { type StalledReplication, startStalledReplication } from './support/stalled-replication';

jest.setTimeout(900_000);

let stalled: StalledReplication;
beforeAll(async () => {
  stalled = await startStalledReplication();
});
afterEach(() => stalled.heal());
afterAll(() => stalled.stop());

function unlessItPasses(error: unknown): void {
  if (!isClusterError(error, 'transient', 'aborted')) throw error;
}

const depsOf = (store: MigrationStore) =>
  ({
    store,
    newCall: () => ({ signal: timeLimit(60_000) }),
    now: () => Date.now(),
    traces: { moved: () => undefined },
    logger: { info: () => undefined, warn: () => undefined },
    queueClient: { wakeMigration: () => Promise.resolve() },
  }) as unknown as Parameters<typeof cancelMigration>[0];

/** The first cancel has no answer; whoever asked asks once more, and is told that the migration is being cancelled. */
test('a cancel that is there for nobody but the primary is not said to be on its way', async () => {
  const { cluster } = stalled;
  const home = { 'index.routing.allocation.require._name': 'data-b' };
  const harness = await createPair(cluster, {
    shards: [1, 1],
    documents: someDocuments(50),
    sourceSettings: home,
    targetSettings: home,
    lostNodeWaitMs: 0,
  });
  await stalled.holdRecords();
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
