import type { ShardRecord } from '@aosc/contract';
import { createContext, type Fate, RecordStore } from './__tests__/record-store';
import { ClusterError } from '../../ports/cluster-error';
import { OwnershipLostError } from '../errors';
import { claimShard } from './claim-shard';
import type { ShardSession } from './shard-session';

async function claim(store: RecordStore): Promise<ShardSession> {
  const never = new AbortController().signal;
  const signals = { stop: never, kill: never, assertInTime: () => undefined };
  const claimed = await claimShard(createContext(store), 'me', signals, 'replay');
  if (claimed.type !== 'claimed') throw new Error(`the claim is ${claimed.type}`);
  return claimed.session;
}

/** A change that shows how often it was made. */
const lose = (record: ShardRecord): ShardRecord => ({ ...record, snapshotsLost: record.snapshotsLost + 1 });

const takenOver = (record: ShardRecord): ShardRecord => ({
  ...record,
  writer: { ...record.writer, owner: 'other', epoch: record.writer.epoch + 1, fenceReady: false },
});

describe('a change whose answer is lost is made once', () => {
  test.each<{ fates: Fate[] }>([
    { fates: ['applied, no answer'] },
    { fates: ['never arrived'] },
    { fates: ['arrives late'] },
    { fates: ['never arrived', 'applied, no answer'] },
    { fates: ['arrives late', 'arrives late'] },
  ])('$fates', async ({ fates }) => {
    const store = new RecordStore();
    const session = await claim(store);
    store.choose(...fates);
    const record = await session.update(lose);
    expect(record.snapshotsLost).toBe(1);
    expect(store.record).toEqual(record);
    await session.update(lose);
    expect(store.record.snapshotsLost).toBe(2);
  });

  test('also among changes that wait for each other', async () => {
    const store = new RecordStore();
    const session = await claim(store);
    store.choose('answered', 'applied, no answer', 'arrives late', 'answered');
    await Promise.all([1, 2, 3, 4, 5].map(() => session.update(lose)));
    expect(store.record.snapshotsLost).toBe(5);
  });
});

test('a change that a primary has shown and lost is made again', async () => {
  const store = new RecordStore();
  const session = await claim(store);
  const before = store.record;
  store.choose('applied, no answer');
  store.afterRead = () => {
    store.afterRead = undefined;
    store.change(() => before);
  };
  expect((await session.update(lose)).snapshotsLost).toBe(1);
  expect(store.record.snapshotsLost).toBe(1);
});

test('owned -> lost when another process took the shard over, whatever became of the answer', async () => {
  const store = new RecordStore();
  const session = await claim(store);
  store.change(takenOver);
  const { writes } = store;
  await expect(session.update(lose)).rejects.toThrow(OwnershipLostError);
  expect(session.killSignal.aborted).toBe(true);
  expect(() => session.assertOwned()).toThrow(OwnershipLostError);
  await expect(session.update(lose)).rejects.toThrow(OwnershipLostError);
  expect(store.writes).toBe(writes);
  expect(store.record.snapshotsLost).toBe(0);
});

test('owned -> released when the answer to the hand-back is lost', async () => {
  const store = new RecordStore();
  const session = await claim(store);
  store.choose('applied, no answer');
  await session.release();
  expect(session.isOwned).toBe(false);
  expect(store.record.writer).toMatchObject({ epoch: 1, fenceReady: true });
  expect(store.record.writer.owner).toBeUndefined();
  await expect(session.update(lose)).rejects.toThrow(OwnershipLostError);
});

test('a hand-back with a bulk in doubt begins a new epoch', async () => {
  const store = new RecordStore();
  const session = await claim(store);
  session.markInDoubt();
  await session.release();
  expect(store.record.writer).toMatchObject({ epoch: 2, fenceReady: false });
  expect(store.record.writer.owner).toBeUndefined();
});

test('a new epoch settles the doubt, once, although its answer is lost', async () => {
  const store = new RecordStore();
  const session = await claim(store);
  session.markInDoubt();
  store.choose('arrives late');
  await session.openNextEpoch();
  expect(session.epoch).toBe(2);
  await session.release();
  expect(store.record.writer).toMatchObject({ epoch: 2 });
});

describe('a write whose answer is lost, and reads that fail', () => {
  /** @param fails whether a read fails, the first one being 1 */
  function failReads(store: RecordStore, fails: (read: number) => boolean): void {
    let reads = 0;
    store.afterRead = () => {
      if (fails((reads += 1))) throw new ClusterError('transient', 'no answer');
    };
  }

  test('the session knows its new epoch for its own', async () => {
    const store = new RecordStore();
    const session = await claim(store);
    failReads(store, (read) => read <= 3);
    store.choose('applied, no answer');
    await session.openNextEpoch();
    expect(session.epoch).toBe(2);
    expect(store.record.writer).toMatchObject({ owner: 'me', epoch: 2 });
    await session.update();
    expect(session.isOwned).toBe(true);
  });

  test('the claim is known for its own', async () => {
    const store = new RecordStore();
    failReads(store, (read) => read === 2);
    store.choose('applied, no answer');
    expect((await claim(store)).epoch).toBe(1);
  });

  test('there is an end of tries', async () => {
    const unclaimed = new RecordStore();
    failReads(unclaimed, (read) => read > 1);
    unclaimed.choose('applied, no answer');
    await expect(claim(unclaimed)).rejects.toMatchObject({ kind: 'transient' });
    const unanswered = new RecordStore(Array.from({ length: 4 }, (): Fate => 'applied, no answer'));
    await expect(claim(unanswered)).rejects.toThrow('the claim is there, and no write of it is answered');
    const store = new RecordStore();
    const session = await claim(store);
    failReads(store, () => true);
    store.choose('applied, no answer');
    await expect(session.update()).rejects.toMatchObject({ kind: 'transient' });
  });

  test('another owner is found out all the same', async () => {
    const store = new RecordStore();
    const session = await claim(store);
    store.change(takenOver);
    failReads(store, (read) => read === 1);
    await expect(session.update(lose)).rejects.toThrow(OwnershipLostError);
    expect(store.record).toMatchObject({ snapshotsLost: 0, writer: { owner: 'other' } });
  });
});

test('a shard that ended is not claimed, one whose owner shows life neither', async () => {
  const store = new RecordStore();
  await claim(store);
  const never = new AbortController().signal;
  const signals = { stop: never, kill: never, assertInTime: () => undefined };
  expect(await claimShard(createContext(store), 'next', signals, 'replay')).toEqual({ type: 'busy' });
  store.change((record) => ({ ...record, phase: 'CANCELLED' }));
  expect(await claimShard(createContext(store), 'next', signals, 'replay')).toEqual({
    type: 'finished',
  });
});

describe('an owner whose last beat looks old is replaced only if it is silent', () => {
  const never = new AbortController().signal;
  const signals = { stop: never, kill: never, assertInTime: () => undefined };
  const timing = { staleAfterMs: 0, confirmMs: 500 };

  /** @param during what becomes of the record while the claim makes sure */
  async function claimWhile(during: (store: RecordStore) => void) {
    const store = new RecordStore();
    await claim(store);
    const context = createContext(store);
    const sleep = (): Promise<void> => {
      during(store);
      return Promise.resolve();
    };
    const result = await claimShard(
      { ...context, clock: { ...context.clock, sleep } },
      'next',
      signals,
      'replay',
      timing,
    );
    return { type: result.type, writer: store.record.writer, lost: store.record.ownersLost };
  }

  test('it beats: its clock is another one', async () => {
    const after = await claimWhile((store) => store.change((record) => ({ ...record, snapshotsLost: 1 })));
    expect(after).toMatchObject({ type: 'busy', writer: { owner: 'me', epoch: 1 } });
    expect(after.lost).toBeUndefined();
  });

  test('it does not, and is counted', async () => {
    const after = await claimWhile(() => undefined);
    expect(after).toMatchObject({
      type: 'claimed',
      writer: { owner: 'next', epoch: 2, fenceReady: false },
      lost: { count: 1, last: 'silent' },
    });
  });
});

test('who brings the work further, or hands it back done, ends the count of lost owners', async () => {
  const store = new RecordStore();
  store.change((record) => ({ ...record, ownersLost: { count: 9, last: 'silent' } }));
  const session = await claim(store);
  await session.update(lose);
  expect(store.record.ownersLost?.count).toBe(9);
  await session.update((record) => ({ ...record, lastReplayedSeqNo: 5 }));
  expect(store.record.ownersLost).toBeUndefined();
});

describe('a deferred change', () => {
  const note = (text: string) => (record: ShardRecord) => ({
    ...record,
    error: `${record.error ?? ''}${text}`,
  });

  test('is made by the next write, before what that is for, and by no other', async () => {
    const store = new RecordStore();
    const session = await claim(store);
    const { writes } = store;
    session.defer(note('a'));
    session.defer(note('b'));
    expect(store.writes).toBe(writes);
    expect((await session.update(note('c'))).error).toBe('abc');
    expect((await session.update(note('d'))).error).toBe('abcd');
  });

  test('that was asked for twice is made once, and again when it was asked for during the write', async () => {
    const store = new RecordStore();
    const session = await claim(store);
    const change = note('a');
    session.defer(change);
    session.defer(change);
    const writing = session.update((record) => {
      session.defer(change);
      return record;
    });
    expect((await writing).error).toBe('a');
    expect((await session.update()).error).toBe('aa');
  });

  test('is made once when an answer is lost, and kept when none comes', async () => {
    const store = new RecordStore();
    const session = await claim(store);
    session.defer(note('a'));
    store.choose('applied, no answer');
    expect((await session.update()).error).toBe('a');
    session.defer(note('b'));
    store.choose(...Array.from({ length: 5 }, (): Fate => 'never arrived'));
    await expect(session.update()).rejects.toMatchObject({ kind: 'transient' });
    session.defer(note('c'));
    expect((await session.update()).error).toBe('abc');
  });
});
