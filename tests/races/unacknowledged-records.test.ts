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
 * A write that has no answer may be there for whoever reads it, and be gone with its primary: no replica need have had it.
 * So that a record shows what a process has written does not prove that it was written.
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

test('a worker does not write by a snapshot that is recorded for nobody but the primary', async () => {
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
  // Whoever reads it finds it there, until the primary is gone.
  expect(await harness.shard(0)).toHaveProperty('nextSnapshot');
  await stalled.killPrimary();
  expect(await harness.shard(0)).not.toHaveProperty('nextSnapshot');

  // Nobody would know by now that the target holds them.
  await cluster.removeAll(harness.source, added);
  await harness.job('replay', 0, { takeOver: true });
  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  await harness.expectExact();
});

test('the scheduler asks for no write block that is announced to nobody but the primary', async () => {
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
  // One that nobody has announced would have been taken for the user's.
  expect(await cluster.ports.index(harness.source).settings.readWriteBlock(call)).toBe('none');
});
