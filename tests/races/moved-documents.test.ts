import type { MigrationRecord } from '@aosc/contract';
import { askForRepair } from '@aosc/domain';
import { borrowCluster, type Cluster } from './support/cluster';
import { type Faults, once, onCall } from './support/faults';
import type { Harness } from './support/harness';
import { findMeetingRoutings } from './support/meeting-routings';
import { createPair, type PairOptions, someDocuments, someSource } from './support/pairs';

jest.setTimeout(600_000);

const shards = [2, 3] as const;
const call = { signal: new AbortController().signal };
let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

interface Moving {
  readonly harness: Harness;
  readonly oldHome: number;
  readonly newHome: number;
  /** The document `x` is written so often under its first routing, and so gets this version. */
  readonly putOld: (times?: number) => Promise<void>;
  readonly putNew: (times?: number) => Promise<void>;
  readonly removeOld: () => Promise<void>;
  readonly removeNew: () => Promise<void>;
  /** Deleted there, made here. */
  readonly move: (times?: number) => Promise<void>;
}

/** A document `x` that an application can move from one shard of the source to another, in BULK_API. */
async function startMoving(oldHome: number, options: PairOptions['options'] = {}): Promise<Moving> {
  const newHome = 1 - oldHome;
  const [from, to] = findMeetingRoutings('x', shards, [oldHome, newHome]);
  const harness = await createPair(cluster, { shards, documents: someDocuments(40), options });
  const put = async (routing: string, times: number): Promise<void> => {
    for (let n = 0; n < times; n++) await cluster.put(harness.source, { id: 'x', routing }, someSource('x'));
  };
  const moving = {
    harness,
    oldHome,
    newHome,
    putOld: (times = 1) => put(from, times),
    putNew: (times = 1) => put(to, times),
    removeOld: () => cluster.remove(harness.source, { id: 'x', routing: from }),
    removeNew: () => cluster.remove(harness.source, { id: 'x', routing: to }),
  };
  return {
    ...moving,
    async move(times = 1) {
      await moving.removeOld();
      await moving.putNew(times);
    },
  };
}

/** Puts something before the first bulk of a job. */
function beforeFirstBulk(strike: () => Promise<void>): Faults {
  const striking = once(strike);
  return {
    target: { writes: (real) => ({ bulk: async (...args) => (await striking(), real.bulk(...args)) }) },
  };
}

async function roundOf(harness: Harness, shard: number, faults: Faults = {}): Promise<void> {
  await harness.job('replay', shard, { faults });
  expect(await harness.shard(shard)).not.toMatchObject({ phase: 'FAILING' });
}

async function expectCompletedExactly(harness: Harness, faults: Faults = {}): Promise<MigrationRecord> {
  const end = await harness.runUntil('COMPLETED', faults);
  expect({ phase: end.phase, error: end.errorMessage }).toEqual({ phase: 'COMPLETED' });
  await harness.expectExact();
  return end;
}

describe.each([1, 0])('a document moves away from source shard %i', (oldHome) => {
  test('between two rounds', async () => {
    const { harness, putOld, move } = await startMoving(oldHome);
    await putOld(3);
    await harness.backfill();
    await harness.round();
    await move();
    await harness.round();
    await harness.expectExact();
    await expectCompletedExactly(harness);
  });

  test('and its new home replays it first', async () => {
    const { harness, newHome, oldHome: old, putOld, move } = await startMoving(oldHome);
    await putOld(3);
    await harness.backfill();
    await harness.round();
    await move();
    await roundOf(harness, newHome);
    await roundOf(harness, old);
    await harness.expectExact();
    await expectCompletedExactly(harness);
  });

  test('between the copies of the two shards', async () => {
    const { harness, newHome, oldHome: old, putOld, move } = await startMoving(oldHome);
    await putOld(3);
    await harness.advance();
    await harness.job('backfill', old);
    await move();
    await harness.job('backfill', newHome);
    expect(await harness.shard(newHome)).toMatchObject({ phase: 'CONVERGING', contestedIds: ['x'] });
    await expectCompletedExactly(harness);
  });

  test('between the last round and the write block', async () => {
    const { harness, putOld, move } = await startMoving(oldHome);
    await putOld(3);
    const strike = once(() => move());
    const faults: Faults = {
      source: {
        settings: (real) => ({ blockWrites: async (...args) => (await strike(), real.blockWrites(...args)) }),
      },
    };
    await expectCompletedExactly(harness, faults);
  });
});

describe('a late bulk of the old home', () => {
  test.each([
    { docCountTolerance: 0, oldHome: 1 },
    { docCountTolerance: 1, oldHome: 1 },
    { docCountTolerance: 0, oldHome: 0 },
  ])(
    'overwrites the moved document, and the next round deletes it: written again, $oldHome, tolerance $docCountTolerance',
    async ({ docCountTolerance, oldHome }) => {
      const { harness, newHome, putOld, move } = await startMoving(oldHome, { docCountTolerance });
      await putOld(2);
      await harness.backfill();
      await harness.round();
      await putOld(); // of its old life, and not replayed yet
      const late = beforeFirstBulk(async () => {
        await move(3);
        await roundOf(harness, newHome);
      });
      await roundOf(harness, oldHome, late);
      expect(await harness.shard(newHome)).toMatchObject({ contestedIds: ['x'] });
      await harness.round();
      await expectCompletedExactly(harness);
      expect(harness.events).toContain('contested_checked');
    },
  );

  test('finds the moved document with a higher version: it gives way', async () => {
    const { harness, newHome, oldHome, putOld, move } = await startMoving(1);
    await putOld();
    await harness.backfill();
    await harness.round();
    await putOld();
    const late = beforeFirstBulk(async () => {
      await move(5);
      await roundOf(harness, newHome);
    });
    await roundOf(harness, oldHome, late);
    await harness.expectExact();
    await expectCompletedExactly(harness);
  });

  test('comes from a worker that dies, to another that dies: no process knows of the meeting, but a document is missing', async () => {
    const { harness, newHome, oldHome, putOld, move } = await startMoving(1);
    await putOld(2);
    await harness.advance();
    await dieBehindX(harness, oldHome, async () => {
      await move();
      await dieBehindX(harness, newHome, () => Promise.resolve());
    });
    for (const { contestedIds, contestedUnknown } of await harness.shards()) {
      expect({ contestedIds, contestedUnknown }).toEqual({ contestedIds: undefined, contestedUnknown: true });
    }
    await harness.round();
    await expectCompletedExactly(harness);
    expect(harness.events).toContain('contested_checked');
  });
});

test('a document of another writer does not hide a missing one, although the tolerance is for such', async () => {
  const { harness, newHome, oldHome, putOld, move } = await startMoving(1, { docCountTolerance: 1 });
  await putOld(2);
  await harness.advance();
  await cluster.put(harness.target, { id: 'foreign' }, someSource('foreign'));
  await dieBehindX(harness, oldHome, async () => {
    await move();
    await dieBehindX(harness, newHome, () => Promise.resolve());
  });
  await harness.round();
  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  const call = { signal: new AbortController().signal };
  const { state } = cluster.ports.index(harness.target);
  await state.refresh(call);
  const found = (ids: readonly string[]): Promise<number> => state.count({ ids: { values: ids } }, call);
  expect({ x: await found(['x']), foreign: await found(['foreign']) }).toEqual({ x: 1, foreign: 1 });
});

/** The copy of a shard whose worker is killed when the bulk with `x` is answered, and which another one goes on with. */
async function dieBehindX(harness: Harness, shard: number, before: () => Promise<void>): Promise<void> {
  const dying = new AbortController();
  const faults: Faults = {
    target: {
      writes: (real) => ({
        bulk: async (fence, items, call) => {
          const hasX = items.some((item) => item.kind === 'index' && item.document.idToken === '"x"');
          if (hasX) await before();
          const outcome = await real.bulk(fence, items, call);
          if (hasX) dying.abort(new Error('killed'));
          return outcome;
        },
      }),
    },
  };
  await harness.job('backfill', shard, { faults, kill: dying.signal });
  expect(dying.signal.aborted).toBe(true);
  await harness.job('backfill', shard, { takeOver: true });
  expect(await harness.shard(shard)).toMatchObject({ phase: 'CONVERGING' });
}

describe('a document that moves twice', () => {
  test.each([1, 0])('there and back, from source shard %i', async (oldHome) => {
    const { harness, newHome, putOld, move, removeNew } = await startMoving(oldHome);
    await putOld(3);
    await harness.backfill();
    await harness.round();
    await move();
    await roundOf(harness, newHome);
    await removeNew();
    await putOld();
    await roundOf(harness, oldHome);
    await harness.round();
    await harness.expectExact();
    await expectCompletedExactly(harness);
  });

  test('back while its new home writes it', async () => {
    const { harness, newHome, oldHome, putOld, move, removeNew } = await startMoving(0);
    await putOld(2);
    await harness.backfill();
    await harness.round();
    await move(4);
    const back = beforeFirstBulk(async () => {
      await removeNew();
      await putOld();
      await roundOf(harness, oldHome);
    });
    await roundOf(harness, newHome, back);
    await harness.round();
    await expectCompletedExactly(harness);
  });
});

describe('both documents are in the source', () => {
  test('for a moment: an application makes the new one before it deletes the old one', async () => {
    const { harness, newHome, putOld, putNew, removeOld } = await startMoving(1);
    await putOld(3);
    await harness.backfill();
    await harness.round();
    await putNew();
    const strike = onCall(4, removeOld);
    await roundOf(harness, newHome, {
      source: {
        state: (real) => ({
          getDocuments: async (...args) => (await strike(), real.getDocuments(...args)),
        }),
      },
    });
    await harness.round();
    await harness.expectExact();
    await expectCompletedExactly(harness);
  });

  test.each([
    { what: 'the new one is older than the old one', olds: 3, news: 1 },
    { what: 'the new one is newer than the old one', olds: 1, news: 3 },
  ])('for the time of a write block, and $what: the attempt is undone', async ({ olds, news }) => {
    const { harness, putOld, putNew, removeOld } = await startMoving(1);
    await putOld(olds);
    await harness.backfill();
    await harness.round();
    const before = once(() => putNew(news));
    const faults: Faults = {
      source: {
        settings: (real) => ({
          blockWrites: async (...args) => (await before(), real.blockWrites(...args)),
        }),
      },
    };
    await harness.runUntil('CATCHING_UP', faults);
    const { phase, errorMessage } = await harness.runUntil('PREPARING_TARGET', faults);
    expect({ phase, errorMessage }).toEqual({ phase: 'PREPARING_TARGET', errorMessage: undefined });
    expect((await harness.record()).undoneCount).toBe(1);
    await removeOld();
    await expectCompletedExactly(harness);
  });

  test('for good: named when the time is over', async () => {
    const { harness, newHome, putOld, putNew } = await startMoving(1);
    await putOld(3);
    await harness.backfill();
    await harness.round();
    await putNew();
    const pass = once(() => {
      harness.passTime(11_000);
      return Promise.resolve();
    });
    await harness.job('replay', newHome, {
      faults: {
        source: {
          state: (real) => ({ getDocuments: async (...args) => (await pass(), real.getDocuments(...args)) }),
        },
      },
    });
    expect(await harness.shard(newHome)).toMatchObject({
      phase: 'FAILING',
      error: expect.stringMatching(/two documents of the source share the target id \[x\]/) as string,
    });
  });

  test('for good, one silently written over the other: the sums fail it and name both, whatever the tolerance', async () => {
    const { harness, putOld, putNew } = await startMoving(1, { docCountTolerance: 1 });
    await putOld();
    await harness.backfill();
    await harness.round();
    await putNew(2);
    await harness.round();
    const end = await harness.runUntil('COMPLETED');
    expect(end).toMatchObject({ phase: 'FAILED' });
    expect((await harness.record()).undoneCount).toBe(1);
    expect(end.errorMessage).toMatch(
      /^Doc count validation failed: source=42, target=41, diff=1, tolerance=1; documents are missing: the target holds 41 of the 42 .*two documents of the source share the target id \[x\]/,
    );
  });
});

test('a repair writes over a document that moves during the repair: the last look finds the document missing', async () => {
  const { harness, newHome, oldHome, putOld, move } = await startMoving(0);
  await putOld(3);
  await harness.backfill();
  await harness.round();
  const [routing] = findMeetingRoutings('x', shards, [oldHome, newHome]);
  await cluster.remove(harness.target, { id: 'x', routing });
  const stored = await cluster.store.readShard(harness.key, oldHome, call);
  if (stored === undefined) throw new Error('the shard has no record');
  await cluster.store.replaceShard(stored, askForRepair(stored.record, ['x']), call);
  let isMoved = false;
  const late = beforeFirstBulk(async () => {
    await move();
    await roundOf(harness, newHome);
    isMoved = true;
  });
  await roundOf(harness, oldHome, late);
  expect(isMoved).toBe(true);
  await harness.round();
  await expectCompletedExactly(harness);
});

test('a final snapshot that is lost while the shard waits for the others is repaired', async () => {
  const { harness, newHome, oldHome, putOld, move } = await startMoving(1);
  await putOld(2);
  await harness.backfill();
  await harness.round();
  await putOld();
  const late = beforeFirstBulk(async () => {
    await move(3);
    await roundOf(harness, newHome);
  });
  await roundOf(harness, oldHome, late);
  await harness.runUntil('CATCHING_UP');
  await harness.job('catch_up', newHome);
  const { phase, snapshot } = await harness.shard(newHome);
  expect(phase).toBe('CATCHING_UP');
  await cluster.send('DELETE', '/_search/point_in_time', { pit_id: [snapshot?.pitId] });
  await expectCompletedExactly(harness);
});

test('a repair after a lost snapshot ends, though documents move away below each of its sweeps', async () => {
  const oldHome = 0;
  const harness = await createPair(cluster, { shards, documents: someDocuments(40) });
  const movers = Array.from({ length: 25 }, (_, n) => {
    const id = `m${n}`;
    const [from, to] = findMeetingRoutings(id, shards, [oldHome, 1]);
    return { id, from, to };
  });
  for (const { id, from } of movers) await cluster.put(harness.source, { id, routing: from }, someSource(id));
  await harness.backfill();
  const { snapshot } = await harness.shard(oldHome);
  await cluster.send('DELETE', '/_search/point_in_time', { pit_id: [snapshot?.pitId] });
  let sweeps = 0;
  await roundOf(harness, oldHome, {
    target: {
      snapshots: (real) => ({
        open: async (...args) => {
          const mover = movers[sweeps++];
          if (mover !== undefined) {
            const { id, from, to } = mover;
            await cluster.remove(harness.source, { id, routing: from });
            await cluster.put(harness.source, { id, routing: to }, someSource(id));
            await roundOf(harness, 1);
          }
          return real.open(...args);
        },
      }),
    },
  });
  expect(harness.events.filter((event) => event === 'copy_incomplete')).toHaveLength(1);
  await expectCompletedExactly(harness);
});
