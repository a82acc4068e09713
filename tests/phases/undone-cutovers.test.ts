import { describeCutover } from '@aosc/domain';
import { ClusterError } from '@aosc/engine';
import { waitUntil } from '@aosc/local-stack';
import { failPrimary } from '../support/allocation';
import { borrowCluster, type Cluster } from '../races/support/cluster';
import type { Faults } from '../races/support/faults';
import type { Harness } from '../races/support/harness';
import { createPair, type PairOptions, someDocuments, someSource } from '../races/support/pairs';
import { expectSourceServes, expectSwapped, expectUndone, guarded } from './support/ends';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

/** Above what a busy machine makes of the prediction, and so that twice as long leaves owners alive. */
const maxPauseMs = 5_000;
const why = 'a document is refused';
const call = { signal: new AbortController().signal };
const create = (
  options: NonNullable<PairOptions['options']> = {},
  shards: PairOptions['shards'] = [2, 2],
  transform?: PairOptions['transform'],
) =>
  createPair(cluster, {
    ...guarded,
    shards,
    documents: someDocuments(80),
    options: { maxPauseMs, ...options },
    ...(transform && { transform }),
  });

/** The answer to the block does not come, and a write seems to run for ever. */
const unconfirmed: Faults = {
  source: {
    settings: (real) => ({
      blockWrites: async (...args) => ({ ...(await real.blockWrites(...args)), confirmed: false }),
    }),
    tasks: () => ({ listWrites: () => Promise.resolve({ running: ['node:1'], answered: [] }) }),
  },
};

const cutover = async (harness: Harness) =>
  describeCutover(await harness.record(), Date.now()) ?? { state: 'none' };

/** Passes of the scheduler, which may be broken off, until the attempt is undone. */
async function undo(harness: Harness, faults?: Faults): Promise<void> {
  harness.passTime(2 * maxPauseMs);
  let passes = 0;
  do {
    await harness.advance(faults).catch((error: unknown) => {
      if (!String(error).includes('broken off')) throw error;
    });
    passes += 1;
  } while ((await harness.record()).undoing !== undefined && passes < 20);
  expect(await harness.record()).toMatchObject({
    phase: 'PREPARING_TARGET',
    writeBlock: { lifted: true, confirmed: false },
  });
  await expectSourceServes(cluster, harness);
}

/** Writes of all kinds, then the next attempt. */
async function completes(harness: Harness): Promise<void> {
  await cluster.put(harness.alias, { id: 'd1' }, someSource('d1'));
  await cluster.put(harness.alias, { id: 'after-the-undo' }, someSource('after-the-undo'));
  await cluster.remove(harness.alias, { id: 'd2' });
  expect(await cutover(harness)).toMatchObject({ state: 'backing_off' });
  harness.passTime(6000);
  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  await expectSwapped(cluster, harness);
  expect(await cutover(harness)).toMatchObject({
    attempts: [
      { outcome: 'undone', reason: expect.stringContaining('max_pause_ms') as unknown },
      { outcome: 'swapped' },
    ],
  });
}

async function cutTo(
  harness: Harness,
  phase: 'CUTTING_OVER' | 'CATCHING_UP',
  faults?: Faults,
): Promise<void> {
  await harness.runUntil(phase, faults);
  for (let pass = 0; (await harness.record()).writeBlock === undefined && pass < 20; pass++) {
    await harness.advance(faults);
  }
  expect(await harness.record()).toMatchObject({ phase, writeBlock: { lifted: false } });
  harness.takeDue();
}

test('a block that does not come to be proven is lifted, and the cutover is tried again', async () => {
  const harness = await create();
  await cutTo(harness, 'CUTTING_OVER', unconfirmed);
  await undo(harness, unconfirmed);
  await completes(harness);
});

test('a block whose request lands after the undo is lifted as well', async () => {
  const harness = await create();
  await cutTo(harness, 'CUTTING_OVER', unconfirmed);
  await undo(harness, unconfirmed);
  await cluster.ports.index(harness.source).settings.blockWrites(call);
  await harness.advance();
  await expectSourceServes(cluster, harness);
  expect(harness.events).toContain('write_block_late');
  await completes(harness);
});

test('a scheduler that dies in the undo leaves it to the next one', async () => {
  const harness = await create();
  await cutTo(harness, 'CATCHING_UP');
  let isDead = false;
  await undo(harness, {
    source: {
      settings: (real) => ({
        put: (...args) => {
          if (isDead) return real.put(...args);
          isDead = true;
          return Promise.reject(new Error('broken off'));
        },
      }),
    },
  });
  expect(isDead).toBe(true);
  await completes(harness);
});

test('the rounds of the wait before an undone attempt do not count against a shard that was brought back', async () => {
  const harness = await create({ maxConvergenceRoundsPerShard: 1, convergenceThresholdPerShard: 0 });
  let writes = 0;
  const writeToEach = async () => {
    writes += 1;
    for (let n = 0; n < 12; n++) await cluster.put(harness.alias, { id: `w${writes}-${n}` }, someSource('w'));
  };
  await harness.backfill();
  for (let round = 0; round < 3; round++) {
    await writeToEach();
    await harness.round();
  }
  await cutTo(harness, 'CATCHING_UP');
  await harness.job('catch_up', 0);
  await undo(harness);
  expect((await harness.shard(0)).convergence?.rounds).toBeGreaterThanOrEqual(1);
  // A client writes whenever the gap is about to be measured.
  await harness.round({
    source: {
      state: (real) => ({
        readCheckpoints: async (...args) => (await writeToEach(), real.readCheckpoints(...args)),
      }),
    },
  });
  expect(await harness.shard(0)).toMatchObject({ phase: 'CONVERGING' });
  await completes(harness);
});

const rewriting: NonNullable<PairOptions['transform']> = {
  record: { source: "ctx._id = 'new-' + ctx._id", rewritesIdentity: true },
  expected: (document) => ({ ...document, id: `new-${document.id}` }),
};

test.each<{
  what: string;
  transform?: PairOptions['transform'];
  isLong?: boolean;
  comesBack: 'with_snapshot' | 'to_sweep';
}>([
  { what: 'soon', comesBack: 'with_snapshot' },
  { what: 'after the last snapshots were closed', isLong: true, comesBack: 'to_sweep' },
  { what: 'soon, with rewritten ids', transform: rewriting, comesBack: 'with_snapshot' },
  { what: 'late, with rewritten ids', transform: rewriting, isLong: true, comesBack: 'with_snapshot' },
])(
  'shards that have had their last round, and shards that have not, go on with the replay: $what',
  async ({ transform, isLong, comesBack }) => {
    const harness = await create({}, [2, 2], transform);
    await cutTo(harness, 'CATCHING_UP');
    await harness.job('catch_up', 0);
    expect((await harness.shards()).map(({ phase }) => phase)).toEqual(['COMPLETING', 'CONVERGED']);
    if (isLong) {
      harness.passTime(3_500);
      await harness.advance();
    }
    await undo(harness);
    expect(await harness.shard(0)).toMatchObject({
      phase: 'CONVERGING',
      sweepPending: comesBack === 'to_sweep',
      ...(comesBack === 'with_snapshot' && { snapshot: expect.anything() as unknown }),
    });
    await completes(harness);
  },
);

test('a shard with rewritten ids whose last snapshot was closed fails before it writes or deletes', async () => {
  // Long enough that a busy machine does not undo the attempt before the snapshot is closed.
  const longPauseMs = 60_000;
  const harness = await create({ maxPauseMs: longPauseMs }, [2, 2], rewriting);
  await cutTo(harness, 'CATCHING_UP');
  await harness.job('catch_up', 0);
  await failPrimary(cluster.http, harness.source, 0);
  harness.passTime(3_500);
  await waitUntil(
    async () => {
      await harness.advance();
      return (await harness.shard(0)).snapshot === undefined;
    },
    { what: 'a closed snapshot', timeoutMs: 60_000, endedBy: [] },
  );
  harness.passTime(longPauseMs);
  await undo(harness);
  const writes: unknown[] = [];
  const watched: Faults = {
    target: { writes: (real) => ({ bulk: (...args) => (writes.push(args), real.bulk(...args)) }) },
  };
  const { shard } = await harness.shard(0);
  await harness.job('replay', shard, { faults: watched });
  expect(await harness.shard(0)).toMatchObject({
    phase: 'FAILING',
    error: expect.stringContaining(
      'it was closed under the write block), and the transform may rewrite ids',
    ) as unknown,
  });
  expect(writes).toEqual([]);
  expect(await harness.runUntil('FAILED')).toMatchObject({ phase: 'FAILED' });
  await expectUndone(cluster, harness);
});

/** As where the last rounds have met a document that the target refuses. */
const refusedAtTheEnd: Faults = {
  store: (real) => ({
    replaceMigration: (before, after, ...rest) =>
      real.replaceMigration(
        before,
        { ...after, ...(after.phase === 'COMPLETING' && { undoing: why }) },
        ...rest,
      ),
  }),
};

test("an undo under the user's own block ends, and leaves the block to the user", async () => {
  const harness = await create();
  await harness.backfill();
  const { settings } = cluster.ports.index(harness.source);
  await settings.put({ 'index.blocks.write': true }, call);
  await cutTo(harness, 'CATCHING_UP');
  expect(await harness.record()).toMatchObject({ writeBlock: { usersOwn: true } });
  for (const shard of [0, 1]) await harness.job('catch_up', shard);
  await harness.advance(refusedAtTheEnd);
  for (let pass = 0; (await harness.record()).undoing !== undefined && pass < 5; pass++)
    await harness.advance();
  expect(await harness.record()).toMatchObject({ phase: 'PREPARING_TARGET' });
  expect(await settings.readWriteBlock(call)).toBe('set');

  await settings.put({ 'index.blocks.write': null }, call);
  await harness.advance();
  await expectSourceServes(cluster, harness);
  await harness.round();
  harness.passTime(6000);
  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  await expectSwapped(cluster, harness);
});

test('a process that is slow in an undo leaves the block of the next attempt', async () => {
  const harness = await create();
  await cutTo(harness, 'CATCHING_UP');
  harness.passTime(2 * maxPauseMs);
  const looks: string[] = [];
  const slow: Faults = {
    source: {
      state: (real) => ({
        async describe(...args) {
          if (looks.length === 0 && (await harness.record()).undoing !== undefined) {
            looks.push('slow');
            await undo(harness);
            await harness.round();
            harness.passTime(6000);
            await cutTo(harness, 'CATCHING_UP');
          }
          return real.describe(...args);
        },
      }),
    },
  };
  for (let pass = 0; looks.length === 0 && pass < 5; pass++) await harness.advance(slow);
  expect(looks).toEqual(['slow']);
  expect(await harness.record()).toMatchObject({
    phase: 'CATCHING_UP',
    undoneCount: 1,
    writeBlock: { lifted: false },
  });
  expect(await cluster.ports.index(harness.source).settings.readWriteBlock(call)).toBe('set');
  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  await expectSwapped(cluster, harness);
});

test('an undo that needs a second look to lift the block leaves the shards their last snapshots', async () => {
  const harness = await create();
  await cutTo(harness, 'CATCHING_UP');
  for (const shard of [0, 1]) await harness.job('catch_up', shard);
  const blocks: unknown[] = [];
  await harness.advance({
    ...refusedAtTheEnd,
    source: {
      settings: (real) => ({
        put(settings, ...rest) {
          if (!('index.blocks.write' in settings) || blocks.push(settings) > 1)
            return real.put(settings, ...rest);
          return Promise.reject(new ClusterError('transient', 'the answer is lost'));
        },
      }),
    },
  });
  expect(blocks).toHaveLength(1);
  expect(await harness.record()).toMatchObject({ phase: 'COMPLETING', undoing: why });
  // The watchdog leaves the token: without it no attempt could swap any more.
  expect(await harness.liftWithoutRecord()).toBe('pending');
  await harness.advance();
  await expectSourceServes(cluster, harness);
  await harness.round();
  expect((await harness.shards()).map(({ snapshotsLost }) => snapshotsLost)).toEqual([0, 0]);
  harness.passTime(6000);
  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  await expectSwapped(cluster, harness);
});

test('a last round that is under way when the attempt is undone writes nothing after the next owner has come', async () => {
  const harness = await create({ convergenceThresholdPerShard: 500 }, [1, 2]);
  let isWritten = false;
  await cutTo(harness, 'CATCHING_UP', {
    aliases: (real) => ({
      async update(...args) {
        // The alias that marks the source comes right before the block.
        if (!isWritten && (await harness.record()).phase === 'CUTTING_OVER') {
          isWritten = true;
          await cluster.put(harness.alias, { id: 'd1' }, someSource('d1'));
          await cluster.remove(harness.alias, { id: 'd3' });
        }
        return real.update(...args);
      },
    }),
  });
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let tell = (): void => undefined;
  const isHeld = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const round = harness.job('catch_up', 0, {
    faults: {
      target: {
        writes: (real) => ({
          bulk: async (...args) => {
            tell();
            await held;
            return real.bulk(...args);
          },
        }),
      },
    },
  });
  await isHeld;
  await undo(harness);
  await cluster.put(harness.alias, { id: 'd1' }, someSource('d1'));
  await harness.round();
  letGo();
  await round;
  await completes(harness);
});

test('after the attempts that the start allows the migration fails, and the source serves', async () => {
  const harness = await create({ maxCutoverAttempts: 1 });
  await cutTo(harness, 'CATCHING_UP');
  harness.passTime(2 * maxPauseMs);
  const record = await harness.runUntil('FAILED');
  expect(record.reason).toContain('max_cutover_attempts');
  await harness.advance();
  await expectUndone(cluster, harness);
});

test('a migration that is cancelled while its attempt is undone ends as any other', async () => {
  const harness = await create();
  await cutTo(harness, 'CATCHING_UP');
  await harness.job('catch_up', 0);
  harness.passTime(2 * maxPauseMs);
  await harness
    .advance({ source: { settings: () => ({ put: () => Promise.reject(new Error('broken off')) }) } })
    .catch((error: unknown) => expect(String(error)).toContain('broken off'));
  expect(await harness.record()).toMatchObject({ phase: 'CATCHING_UP', writeBlock: { lifted: false } });
  expect(await harness.record()).toHaveProperty('undoing');
  await harness.cancel();
  expect(await harness.runUntil('CANCELLED')).toMatchObject({ phase: 'CANCELLED' });
  await harness.advance();
  await expectUndone(cluster, harness);
});
