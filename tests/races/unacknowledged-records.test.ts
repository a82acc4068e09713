import { isClusterError } from '@aosc/engine';
import { timeLimit } from '@aosc/signals';
import type { MigrationStore } from '@aosc/store';
import { type Cluster } from './support/cluster';
import { type Faults } from './support/faults';
import { someSource } from './support/pairs';
import { startStalledPair } from './support/stalled-pair';
import { type StalledReplication, startStalledReplication } from './support/stalled-replication';

jest.setTimeout(600_000);

/**
 * A write without an answer may be visible to every reader and still go with its primary: perhaps no replica has had
 * it. So a record that shows a process's write does not prove that the write is safe.
 */
let stalled: StalledReplication;
let cluster: Cluster;

beforeAll(async () => {
  stalled = await startStalledReplication();
  ({ cluster } = stalled);
});
afterEach(() => stalled.heal());
afterAll(() => stalled.stop());

const call = { signal: timeLimit(3_600_000) };

/** One write comes to the primary, which will answer neither it nor any later one. */
function loseOne() {
  let isLost = false;
  return {
    isLost: () => isLost,
    /** Where a write goes. */
    storeOf: (real: MigrationStore, isMeant: boolean): MigrationStore => {
      if (isLost) return stalled.hurried;
      if (!isMeant) return real;
      isLost = true;
      stalled.stall();
      return stalled.dying;
    },
  };
}

function unlessItPasses(error: unknown): void {
  if (!isClusterError(error, 'transient')) throw error;
}

test('a worker does not write by a snapshot that only the primary shows', async () => {
  const harness = await startStalledPair(stalled, { options: { docCountTolerance: 10 } });
  await harness.backfill();
  const added = Array.from({ length: 10 }, (_, n) => ({ id: `new${n}` }));
  for (const { id } of added) await cluster.put(harness.alias, { id }, someSource(id));

  const kill = new AbortController();
  const { storeOf, isLost } = loseOne();
  const faults: Faults = {
    store: (real) => ({
      replaceShard: (before, after, ...rest) =>
        storeOf(real, after.nextSnapshot !== undefined).replaceShard(before, after, ...rest),
    }),
    target: {
      writes: (real) => ({
        async bulk(...given) {
          const outcome = await real.bulk(...given);
          kill.abort(new Error('killed'));
          return outcome;
        },
      }),
    },
  };
  await harness.job('replay', 0, { kill: kill.signal, faults }).catch(unlessItPasses);
  expect(isLost()).toBe(true);
  // Every reader finds it there, until the primary is gone.
  expect(await harness.shard(0)).toHaveProperty('nextSnapshot');
  await stalled.killPrimary();
  expect(await harness.shard(0)).not.toHaveProperty('nextSnapshot');

  // By now no record would say that the target holds them.
  await cluster.removeAll(harness.source, added);
  await harness.job('replay', 0, { takeOver: true });
  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  await harness.expectExact();
});

test('the scheduler asks for no write block whose announcement only the primary shows', async () => {
  const harness = await startStalledPair(stalled);
  await harness.backfill();
  await harness.round();
  const { storeOf, isLost } = loseOne();
  const store: Faults['store'] = (real) => ({
    replaceMigration: (before, after, ...rest) =>
      storeOf(real, after.writeBlock !== undefined).replaceMigration(before, after, ...rest),
    confirmMigration: (...given) => storeOf(real, false).confirmMigration(...given),
  });
  while (!isLost()) {
    await harness.advance({ store }).catch(unlessItPasses);
    if (isLost()) break;
    for (const { kind, shard } of harness.takeDue()) await harness.job(kind, shard);
  }
  expect(await harness.record()).toHaveProperty('writeBlock');
  await harness.advance({ store }).catch(unlessItPasses);
  await stalled.killPrimary();
  expect(await harness.record()).not.toHaveProperty('writeBlock');

  await harness.runUntil('CATCHING_UP');
  await harness.cancel();
  expect(await harness.runUntil('CANCELLED')).toMatchObject({ phase: 'CANCELLED' });
  // The service would have taken an unannounced block for the user's.
  expect(await cluster.ports.index(harness.source).settings.readWriteBlock(call)).toBe('none');
});
