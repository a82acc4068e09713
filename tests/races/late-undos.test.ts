import { borrowCluster, type Cluster } from './support/cluster';
import { createBarrier, type Faults, onCall } from './support/faults';
import type { Harness } from './support/harness';
import { createPair, someDocuments } from './support/pairs';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

/** An attempt that is too late: one of its shards has had its last round, and the other has not. */
async function startLateAttempt(): Promise<Harness> {
  const harness = await createPair(cluster, {
    shards: [2, 4],
    documents: someDocuments(40),
    options: { maxPauseMs: 30_000 },
    timing: { guardMs: 600_000 },
  });
  await harness.runUntil('CATCHING_UP');
  await harness.job('catch_up', 0);
  harness.passTime(31_000);
  return harness;
}

/** Another scheduler ends the undo, and comes to the last rounds of the next attempt. */
async function beginNextAttempt(harness: Harness): Promise<void> {
  await harness.advance();
  expect(await harness.record()).toMatchObject({ phase: 'PREPARING_TARGET', undoneCount: 1 });
  harness.passTime(6000);
  await harness.runUntil('CATCHING_UP');
  await harness.job('catch_up', 0);
  expect(await harness.shard(0)).toMatchObject({ phase: 'COMPLETING' });
}

async function completesAtOnce(harness: Harness): Promise<void> {
  expect(await harness.shard(0)).toMatchObject({ phase: 'COMPLETING' });
  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED', undoneCount: 1 });
  await harness.expectExact();
}

test('an undo that sleeps before it brings a shard back leaves the next attempt alone', async () => {
  const harness = await startLateAttempt();
  const barrier = createBarrier();
  const sleeper = harness.advance({
    store: (real) => ({
      async replaceShard(...args) {
        if (args[1].phase === 'CONVERGING') await barrier.pass();
        return real.replaceShard(...args);
      },
    }),
  });
  await barrier.reached;
  await beginNextAttempt(harness);
  barrier.open();
  await sleeper;
  await completesAtOnce(harness);
});

test('a scheduler that sleeps after an undo, before it reads the shards, leaves the next attempt alone', async () => {
  const harness = await startLateAttempt();
  const barrier = createBarrier();
  const pause = onCall(1, () => barrier.pass());
  let isUndone = false;
  const faults: Faults = {
    store: (real) => ({
      async replaceMigration(...args) {
        const stored = await real.replaceMigration(...args);
        isUndone ||= args[1].phase === 'PREPARING_TARGET';
        return stored;
      },
      async readShards(...args) {
        if (isUndone) await pause();
        return real.readShards(...args);
      },
    }),
  };
  const sleeper = harness.advance(faults);
  await barrier.reached;
  await beginNextAttempt(harness);
  barrier.open();
  await sleeper;
  await completesAtOnce(harness);
});

test('a scheduler that looks for a late block after an undo does not lift the block of the next attempt', async () => {
  const harness = await startLateAttempt();
  await harness.advance();
  const barrier = createBarrier();
  const sleeper = harness.advance({
    source: {
      settings: (real) => ({
        async readWriteBlock(...args) {
          await barrier.pass();
          return real.readWriteBlock(...args);
        },
      }),
    },
  });
  await barrier.reached;
  await beginNextAttempt(harness);
  barrier.open();
  await sleeper;
  const { settings } = cluster.ports.index(harness.source);
  expect(await settings.readWriteBlock({ signal: new AbortController().signal })).toBe('set');
  await completesAtOnce(harness);
});
