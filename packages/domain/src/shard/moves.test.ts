import { type ShardPhase, shardPhases, type ShardRecord, type Snapshot } from '@aosc/contract';
import { IllegalTransitionError } from '../migration/transitions';
import { withGap } from './counters';
import {
  beginCatchUp,
  beginCopy,
  beginRound,
  bringBack,
  completeShard,
  endCatchUp,
  endCopy,
  endRound,
  endShard,
  failShard,
  type GapLook,
  holdSnapshot,
  isInDoubt,
  loseSnapshot,
  noteGap,
} from './moves';
import { newShardRecord } from './new-shard';
import { leadsShardTo } from './transitions';

const snapshotOf = (pitId: string, checkpoint: number, documentCount = 10): Snapshot => ({
  pitId,
  nodeId: 'n',
  allocationId: 'a',
  primaryTerm: 1,
  indexUuid: 'i',
  historyUuid: 'h',
  checkpoint,
  seenMaxSeqNo: checkpoint,
  maxSeqNo: checkpoint,
  documentCount,
  openedAtMillis: 0,
});
const first = snapshotOf('first', 9);
const second = snapshotOf('second', 14, 12);
const round = {
  old: first,
  next: second,
  counters: 'replay',
  upserts: 3,
  deletes: 2,
  bulkRetries: 1,
  roundMs: 7,
} as const;
const small: GapLook = { gap: 2, globalCheckpoint: 16, converges: true, isInsteadOfRound: false };
const large: GapLook = { ...small, gap: 2000, converges: false };

/** The life of a shard, each change at a later time, and what the record shows after it. */
const life: readonly {
  readonly what: string;
  readonly change: (record: ShardRecord, now: number) => ShardRecord;
  readonly shows: object;
}[] = [
  {
    what: 'the copy begins',
    change: beginCopy,
    shows: {
      phase: 'ACQUIRING_LEASE',
      backfill: { status: 'IN_PROGRESS', startTimeMillis: 1, documentsIndexed: 0 },
    },
  },
  {
    what: 'it has its snapshot',
    change: (record, now) => holdSnapshot(record, first, now),
    shows: {
      phase: 'BACKFILLING',
      snapshot: first,
      historyUuid: 'h',
      backfillCutoffSeqNo: 9,
      targetSeqNo: 9,
      copy: { fromSeqNo: 0, watermark: 0, documents: 0 },
      progress: { totalDocuments: 10 },
      backfill: { currentGap: 10 },
    },
  },
  {
    what: 'the copy ends',
    change: endCopy,
    shows: { phase: 'CONVERGING', backfill: { status: 'COMPLETED', currentGap: 0, endTimeMillis: 3 } },
  },
  {
    what: 'a round begins',
    change: (record, now) => beginRound(record, { next: second, counters: 'replay', gap: 5 }, now),
    shows: {
      phase: 'CONVERGING',
      snapshot: first,
      nextSnapshot: second,
      replay: { currentGap: 5, rounds: 0 },
    },
  },
  {
    what: 'it ends',
    change: (record, now) => endRound(record, round, now),
    shows: {
      phase: 'CONVERGING',
      snapshot: second,
      closingPitIds: ['first'],
      lastReplayedSeqNo: 14,
      roundMs: 7,
      copy: { watermark: 15 },
      replay: { rounds: 1, operationsApplied: 5, deletesApplied: 2, bulkRetries: 1 },
    },
  },
  {
    what: 'the gap is too large',
    change: (record, now) => noteGap(record, large, now),
    shows: { phase: 'CONVERGING', targetSeqNo: 16, replay: { status: 'COMPLETED', currentGap: 2000 } },
  },
  {
    what: 'the gap is small',
    change: (record, now) => noteGap(record, small, now),
    shows: { phase: 'CONVERGED', replay: { status: 'COMPLETED', currentGap: 2, endTimeMillis: 6 } },
  },
  {
    what: 'the last round begins',
    change: beginCatchUp,
    shows: { phase: 'CATCHING_UP', catchingUp: { status: 'IN_PROGRESS', startTimeMillis: 8 } },
  },
  {
    what: 'it ends',
    change: (record, now) => endCatchUp(record, { finalSeqNo: 20, unclosed: ['late'] }, now),
    shows: {
      phase: 'COMPLETING',
      snapshot: second,
      lastReplayedSeqNo: 20,
      targetSeqNo: 20,
      finalDocumentCount: 12,
      closingPitIds: ['first', 'late'],
      replay: { currentGap: 0 },
      catchingUp: { status: 'COMPLETED', currentGap: 0, endTimeMillis: 9 },
    },
  },
  { what: 'the swap is done', change: completeShard, shows: { phase: 'COMPLETED' } },
];

/** The record after the first so many changes of its life. */
const after = (changes: number): ShardRecord =>
  life
    .slice(0, changes)
    .reduce((record, { change }, at) => change(record, at + 1), newShardRecord('k', 0, 0));
const firstIn = (phase: ShardPhase): ShardRecord => {
  const found = Array.from({ length: life.length + 1 }, (_, changes) => after(changes)).find(
    (record) => record.phase === phase,
  );
  if (found === undefined) throw new Error(`no life leads to ${phase}`);
  return found;
};

test.each(life.map((step, at) => ({ ...step, at })))('$at: $what', ({ at, shows, change }) => {
  expect(change(after(at), at + 1)).toMatchObject(shows);
});

test('the history has each phase once, and the snapshot of a round is named by one field at a time', () => {
  const { transitionHistory } = after(life.length);
  expect(transitionHistory.map(({ phase }) => phase)).toEqual(
    shardPhases.slice(0, shardPhases.indexOf('COMPLETED') + 1),
  );
  expect(after(5)).not.toHaveProperty('nextSnapshot');
});

test.each([
  { what: 'the copy begins', change: beginCopy, at: 1 },
  { what: 'the copy ends', change: endCopy, at: 3 },
  {
    what: 'the gap is small',
    change: (record: ShardRecord, now: number) => noteGap(record, small, now),
    at: 7,
  },
  { what: 'the last round begins', change: beginCatchUp, at: 8 },
])('made again after a lost answer, it changes nothing: $what', ({ change, at }) => {
  expect(change(after(at), 99)).toEqual(after(at));
});

test('a shard that needed no round counts the look as its first', () => {
  const look = { ...small, isInsteadOfRound: true };
  expect(noteGap(after(3), look, 5)).toMatchObject({
    phase: 'CONVERGED',
    lastReplayedSeqNo: 9,
    replay: { rounds: 1, status: 'COMPLETED', currentGap: 2 },
  });
  // It had rounds: the look is none.
  expect(noteGap(after(6), look, 7).replay?.rounds).toBe(1);
});

test('a converged shard stays so with a large gap, and its counters of convergence end', () => {
  const begun = beginRound(after(7), { next: snapshotOf('third', 20), counters: 'convergence', gap: 4 }, 8);
  expect(noteGap(begun, large, 9)).toMatchObject({
    phase: 'CONVERGED',
    convergence: { status: 'COMPLETED', currentGap: 2000, endTimeMillis: 9 },
  });
});

describe('a lost snapshot', () => {
  test.each([
    { watermark: 4, resumeAt: 4 },
    { watermark: 30, resumeAt: 10 },
  ])(
    'copied up to $watermark: the copy resumes at $resumeAt, and a sweep follows',
    ({ watermark, resumeAt }) => {
      const record = { ...after(2), copy: { fromSeqNo: 0, watermark, documents: 3 } };
      const lost = loseSnapshot(record);
      expect(lost).toMatchObject({
        phase: 'BACKFILLING',
        sweepPending: true,
        snapshotsLost: 1,
        copy: { fromSeqNo: resumeAt, watermark: resumeAt, documents: 3 },
        closingPitIds: ['first'],
      });
      expect(lost).not.toHaveProperty('snapshot');
    },
  );

  test.each([
    { what: 'a round ends', change: (record: ShardRecord) => endRound(record, round, 9) },
    {
      what: 'none is due',
      change: (record: ShardRecord) => noteGap(record, { ...small, isInsteadOfRound: true }, 9),
    },
  ])('counts among those in a row until $what', ({ change }) => {
    const twice = loseSnapshot(loseSnapshot(after(6)));
    expect(twice).toMatchObject({ snapshotsLost: 2, lossesInARow: 2 });
    expect(noteGap(twice, small, 8)).toHaveProperty('lossesInARow', 2);
    const repaired = change({ ...twice, snapshot: second });
    expect(repaired).not.toHaveProperty('lossesInARow');
    expect(loseSnapshot(repaired)).toMatchObject({ snapshotsLost: 3, lossesInARow: 1 });
  });

  test('lost in the midst of a round: both are to be closed', () => {
    expect(loseSnapshot(after(4)).closingPitIds).toEqual(['first', 'second']);
  });

  test('the next snapshot keeps the copy, and the cutoff of the first', () => {
    const again = holdSnapshot(loseSnapshot(after(6)), snapshotOf('third', 20), 7);
    expect(again).toMatchObject({
      phase: 'CONVERGING',
      snapshot: { pitId: 'third' },
      backfillCutoffSeqNo: 9,
      copy: { fromSeqNo: 15 },
      progress: { totalDocuments: 10 },
    });
  });
});

describe('an undone cutover', () => {
  test.each(['CATCHING_UP', 'COMPLETING'] as const)(
    'takes a shard in %s from its owner, and its replay goes on from its snapshot',
    (phase) => {
      const record = firstIn(phase);
      const sharedPlaces = ['a'];
      const back = bringBack({ ...record, sharedPlaces, writer: { ...record.writer, owner: 'w' } }, 20);
      expect(back).not.toHaveProperty('sharedPlaces');
      expect(back).toMatchObject({ phase: 'CONVERGING', snapshot: second, sweepPending: false });
      expect(back.writer).toMatchObject({ epoch: 2, fenceReady: false });
      expect(back.writer).not.toHaveProperty('owner');
      expect(back).not.toHaveProperty('finalDocumentCount');
    },
  );

  test('a closed snapshot: the copy resumes where the target stands, and a sweep follows', () => {
    const { snapshot: _closed, ...closed } = firstIn('COMPLETING');
    expect(bringBack(closed, 20)).toMatchObject({
      sweepPending: true,
      copy: { fromSeqNo: 15, watermark: 15 },
    });
    const behind = { ...closed, lastReplayedSeqNo: 11 };
    expect(bringBack(behind, 20)).toMatchObject({ copy: { fromSeqNo: 12, watermark: 12 } });
  });

  test.each(shardPhases.filter((phase) => phase !== 'CATCHING_UP' && phase !== 'COMPLETING'))(
    'leaves a shard in %s as it is',
    (phase) => {
      const record = { ...after(1), phase };
      expect(bringBack(record, 20)).toBe(record);
    },
  );
});

test.each(shardPhases)('a failure of a shard in %s is written with its reason, or refused', (phase) => {
  const record = { ...after(1), phase };
  if (!leadsShardTo(phase, 'FAILING')) {
    expect(() => failShard(record, 'refused', 5)).toThrow(IllegalTransitionError);
    return;
  }
  expect(failShard(record, 'refused', 5)).toMatchObject({
    phase: 'FAILING',
    error: 'refused',
    backfill: { status: 'FAILED', endTimeMillis: 5 },
  });
});

describe('the end of a migration', () => {
  const ends: {
    readonly [P in ShardPhase]: readonly [aborted: ShardPhase | undefined, swapped: ShardPhase | undefined];
  } = {
    PENDING: ['CANCELLED', 'CANCELLED'],
    ACQUIRING_LEASE: ['CANCELLED', 'CANCELLED'],
    BACKFILLING: ['CANCELLED', 'CANCELLED'],
    CONVERGING: ['CANCELLED', 'CANCELLED'],
    CONVERGED: ['CANCELLED', 'CANCELLED'],
    CATCHING_UP: ['CANCELLED', 'CANCELLED'],
    COMPLETING: ['CANCELLED', 'COMPLETED'],
    COMPLETED: [undefined, undefined],
    CANCELLED: [undefined, undefined],
    FAILING: ['FAILED', 'FAILED'],
    FAILED: [undefined, undefined],
  };
  test.each(shardPhases)('a shard in %s', (phase) => {
    const record = { ...after(4), phase };
    const [aborted, swapped] = ends[phase];
    expect(endShard(record, false, 9)?.phase).toBe(aborted);
    expect(endShard(record, true, 9)?.phase).toBe(swapped);
    if (aborted === undefined) return;
    const ended = endShard(record, false, 9);
    expect(ended).toMatchObject({ closingPitIds: ['first', 'second'], replay: { status: 'FAILED' } });
    expect(ended).not.toHaveProperty('snapshot');
    expect(ended).not.toHaveProperty('nextSnapshot');
    expect(ended?.writer.epoch).toBe(record.writer.epoch + 1);
  });

  const quiet = { ...after(4).writer, nodes: ['n:1'], quietAtMillis: 0 };
  test.each([
    { what: 'quiet, handed back', writer: quiet, doubt: false },
    { what: 'owned', writer: { ...quiet, owner: 'w' }, doubt: true },
    { what: 'without its fence', writer: { ...quiet, fenceReady: false }, doubt: true },
    { what: 'not quiet', writer: { ...quiet, quietAtMillis: -1 }, doubt: true },
  ])('a shard that is $what names nodes to wait for: $doubt', ({ writer, doubt }) => {
    const record = { ...after(4), writer };
    expect(isInDoubt(record)).toBe(doubt);
    expect(endShard(record, false, 9)?.writer.nodes).toEqual(doubt ? ['n:1'] : []);
  });
});

test('a gap is noted only by counters that have begun', () => {
  expect(withGap(after(3), 4)).toEqual(after(3));
  expect(withGap(after(5), 4).replay?.currentGap).toBe(4);
});
