import { borrowCluster, type Cluster } from './support/cluster';
import { createBarrier, type Faults, once } from './support/faults';
import type { Harness } from './support/harness';
import { createPair, type PairOptions, someDocuments, someSource } from './support/pairs';

/*
 * A converged shard rests until it has fallen behind: what is few is left for later, and nothing is left at the end.
 */

jest.setTimeout(600_000);

const restMs = 10_000;

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

async function startCopied(pair: Partial<PairOptions> = {}): Promise<Harness> {
  const harness = await createPair(cluster, {
    shards: [1, 2],
    documents: someDocuments(100),
    convergedRestMs: restMs,
    ...pair,
  });
  await harness.backfill();
  return harness;
}

async function startConverged(pair: Partial<PairOptions> = {}): Promise<Harness> {
  const harness = await startCopied(pair);
  await harness.round();
  expect((await harness.shard(0)).phase).toBe('CONVERGED');
  return harness;
}

async function writeMany(harness: Harness, count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, n) => `w${n}`);
  for (const id of ids) await cluster.put(harness.source, { id }, someSource(id));
}

async function readRounds(harness: Harness): Promise<number> {
  const { replay, convergence } = await harness.shard(0);
  return (replay?.rounds ?? 0) + (convergence?.rounds ?? 0);
}

test('a shard that is behind by less than the threshold once it is copied converges without a round', async () => {
  const harness = await startCopied();
  await writeMany(harness, 3);
  await cluster.remove(harness.source, { id: 'd7' });
  await harness.job('replay', 0);
  const { phase, replay, convergence } = await harness.shard(0);
  expect(phase).toBe('CONVERGED');
  expect(replay).toMatchObject({ status: 'COMPLETED', rounds: 1, operationsApplied: 0, currentGap: 4 });
  expect(convergence).toBeUndefined();
  await harness.runUntil('COMPLETED');
  await harness.expectExact();
});

test('a shard that is behind by more than its threshold has a round first', async () => {
  const harness = await startCopied({ options: { convergenceThresholdPerShard: 3 } });
  await writeMany(harness, 4);
  await harness.job('replay', 0);
  const { phase, replay } = await harness.shard(0);
  expect(phase).toBe('CONVERGED');
  expect(replay).toMatchObject({ status: 'COMPLETED', rounds: 1, operationsApplied: 4, currentGap: 0 });
  await harness.expectExact();
});

test('a few changes are left for later, and their number is shown', async () => {
  const harness = await startConverged();
  const before = await readRounds(harness);
  await writeMany(harness, 3);
  await cluster.remove(harness.source, { id: 'd7' });
  const result = await harness.job('replay', 0);
  expect(result.type).toBe('again');
  expect(await readRounds(harness)).toBe(before);
  expect((await harness.shard(0)).replay?.currentGap).toBe(4);
  await harness.runUntil('COMPLETED');
  await harness.expectExact();
});

test('more than 500 changes are replayed at the next look', async () => {
  const harness = await startConverged();
  const before = await readRounds(harness);
  await writeMany(harness, 501);
  await harness.job('replay', 0);
  expect(await readRounds(harness)).toBe(before + 1);
  await harness.expectExact();
});

test('a snapshot that is a minute old is exchanged for the sake of one change', async () => {
  const harness = await startConverged();
  const before = await readRounds(harness);
  await writeMany(harness, 1);
  harness.passTime(6 * restMs);
  await harness.job('replay', 0);
  expect(await readRounds(harness)).toBe(before + 1);
  await harness.expectExact();
});

test('when only gaps keep the write block away more than 50 changes are replayed', async () => {
  const harness = await startConverged();
  const before = await readRounds(harness);
  await writeMany(harness, 50);
  await cluster.remove(harness.source, { id: 'd9' });
  await harness.advance();
  expect(await harness.record()).toMatchObject({
    phase: 'PREPARING_TARGET',
    blockNearSinceMillis: expect.any(Number) as number,
  });
  await harness.job('replay', 0);
  expect(await readRounds(harness)).toBe(before + 1);
  await cluster.put(harness.source, { id: 'one more' }, someSource('one more'));
  await harness.job('replay', 0);
  expect(await readRounds(harness)).toBe(before + 1);
  await harness.runUntil('COMPLETED');
  await harness.expectExact();
});

test('while the target gets ready for that they are left for later', async () => {
  // One node has no place for the replica: the target does not get green, and the phase does not end.
  const harness = await startConverged({ targetReplicas: 1 });
  await harness.advance();
  expect((await harness.record()).phase).toBe('PREPARING_TARGET');
  const before = await readRounds(harness);
  await writeMany(harness, 60);
  await harness.job('replay', 0);
  expect(await readRounds(harness)).toBe(before);
  await writeMany(harness, 441);
  await harness.job('replay', 0);
  expect(await readRounds(harness)).toBe(before + 1);
  await harness.expectExact();
});

/** How often a shard's record is written. */
function countWrites(): { readonly faults: Faults; readonly counts: { readonly writes: number } } {
  const counts = { writes: 0 };
  const faults: Faults = {
    store: (real) => ({
      replaceShard: async (...args) => {
        counts.writes += 1;
        return real.replaceShard(...args);
      },
    }),
  };
  return { faults, counts };
}

test('a look at a shard at rest claims nothing, and writes nothing where nothing has changed', async () => {
  const harness = await startConverged();
  await harness.job('replay', 0);
  const before = await harness.shard(0);
  const { faults, counts } = countWrites();
  const result = await harness.job('replay', 0, { faults });
  expect(result.type).toBe('again');
  expect(counts.writes).toBe(0);
  await writeMany(harness, 3);
  await harness.job('replay', 0, { faults });
  expect(counts.writes).toBe(1);
  const after = await harness.shard(0);
  expect(after.replay?.currentGap).toBe(3);
  expect(after.writer).toEqual(before.writer);
  await harness.runUntil('COMPLETED');
  await harness.expectExact();
});

test('a shard that is claimed during a look stays with its owner', async () => {
  const harness = await startConverged();
  await writeMany(harness, 3);
  const note = createBarrier();
  const faults: Faults = {
    store: (real) => {
      const hold = once(() => note.pass());
      return {
        replaceShard: async (...args) => {
          await hold();
          return real.replaceShard(...args);
        },
      };
    },
  };
  const look = harness.job('replay', 0, { faults });
  await note.reached;
  harness.passTime(6 * restMs);
  const before = await readRounds(harness);
  await harness.job('replay', 0);
  expect(await readRounds(harness)).toBe(before + 1);
  note.open();
  expect((await look).type).toBe('again');
  expect((await harness.shard(0)).convergence?.currentGap ?? 0).toBe(0);
  await harness.runUntil('COMPLETED');
  await harness.expectExact();
});

test('a snapshot that a look finds lost is repaired by the same job', async () => {
  const harness = await startConverged();
  const { snapshot } = await harness.shard(0);
  await cluster.send('DELETE', '/_search/point_in_time', { pit_id: [snapshot?.pitId] });
  await harness.job('replay', 0);
  const after = await harness.shard(0);
  expect(after.snapshotsLost).toBe(1);
  expect(after.snapshot?.pitId).not.toBe(snapshot?.pitId);
  await harness.runUntil('COMPLETED');
  await harness.expectExact();
});

test('a snapshot that is lost without a look is repaired before the write block', async () => {
  const harness = await startConverged();
  const { snapshot } = await harness.shard(0);
  await writeMany(harness, 1);
  await cluster.remove(harness.source, { id: 'd5' });
  await cluster.send('DELETE', '/_search/point_in_time', { pit_id: [snapshot?.pitId] });
  await harness.advance();
  expect((await harness.record()).phase).toBe('PREPARING_TARGET');
  await harness.runUntil('COMPLETED');
  const { events } = harness;
  expect(events.indexOf('snapshot_lost')).toBeLessThan(events.indexOf('write_block_confirmed'));
  await harness.expectExact();
});

test('a rest that lasts into the cutover leaves the shard to its last round', async () => {
  const harness = await startConverged();
  await harness.runUntil('CUTTING_OVER');
  expect(await harness.job('replay', 0)).toEqual({ type: 'done' });
  expect((await harness.shard(0)).writer.owner).toBeUndefined();
  await harness.runUntil('COMPLETED');
  await harness.expectExact();
});

test('a job whose claim comes after the scheduler has looked for owners begins no round under the write block', async () => {
  const harness = await startConverged();
  const before = await readRounds(harness);
  await writeMany(harness, 1);
  harness.passTime(6 * restMs);
  const claim = createBarrier();
  const faults: Faults = {
    store: (real) => {
      const hold = once(() => claim.pass());
      return {
        replaceShard: async (...args) => {
          await hold();
          return real.replaceShard(...args);
        },
      };
    },
  };
  const job = harness.job('replay', 0, { faults });
  await claim.reached;
  await harness.advance();
  expect((await harness.record()).phase).toBe('CATCHING_UP');
  claim.open();
  // The scheduler has written the record once more before the block, so the claim is refused.
  expect(await job).toMatchObject({ type: 'again' });
  expect(await harness.job('replay', 0)).toEqual({ type: 'done' });
  expect(await readRounds(harness)).toBe(before);
  await harness.runUntil('COMPLETED');
  await harness.expectExact();
});
