import type { ShardRecord, Snapshot } from '@aosc/contract';
import { evaluateContest, maxContestedIds, newShardRecord, sharesPlaces, withContested } from '..';

const snapshot = (checkpoint: number, documentCount = 10): Snapshot => ({
  pitId: 'p',
  nodeId: 'n',
  allocationId: 'a',
  primaryTerm: 1,
  indexUuid: 'i',
  historyUuid: 'h',
  checkpoint,
  maxSeqNo: checkpoint,
  seenMaxSeqNo: checkpoint,
  documentCount,
  openedAtMillis: 0,
});

const shard = (number: number, change: Partial<ShardRecord> = {}): ShardRecord => ({
  ...newShardRecord('k', number, 0),
  phase: 'CATCHING_UP',
  ...change,
});

describe('sharesPlaces', () => {
  const migration = { shardRoutingMode: 'BULK_API', sourceShardCount: 2 } as const;

  test('several source shards that write where they like', () => {
    expect(sharesPlaces(migration)).toBe(true);
    expect(sharesPlaces({ ...migration, sourceShardCount: 1 })).toBe(false);
    expect(sharesPlaces({ ...migration, shardRoutingMode: 'SPLIT_SHARD' })).toBe(false);
  });

  test('with a transform, unless it rewrites ids', () => {
    expect(sharesPlaces({ ...migration, transform: { source: '', rewritesIdentity: false } })).toBe(true);
    expect(sharesPlaces({ ...migration, transform: { source: '', rewritesIdentity: true } })).toBe(false);
  });
});

describe('withContested', () => {
  const known = shard(0, { contestedIds: ['a', 'b'] });

  test('nothing to note leaves the record as it is', () => {
    expect(withContested(known, { ids: [], unknown: false })).toEqual(known);
    const clean = shard(0);
    expect(withContested(clean, { ids: [], unknown: false })).toBe(clean);
  });

  test('ids are kept once', () => {
    expect(withContested(known, { ids: ['b', 'c'], unknown: false })).toEqual({
      ...known,
      contestedIds: ['a', 'b', 'c'],
    });
  });

  test('what is not known stays so', () => {
    const unsure = withContested(shard(0), { ids: [], unknown: true });
    expect(unsure).toMatchObject({ contestedUnknown: true });
    expect(withContested(unsure, { ids: ['a'], unknown: false })).toMatchObject({ contestedUnknown: true });
  });

  test('too many are not all named, and the record says so', () => {
    const ids = Array.from({ length: maxContestedIds + 1 }, (_, n) => `d${n}`);
    const full = withContested(shard(0), { ids, unknown: false });
    expect(full.contestedIds).toHaveLength(maxContestedIds);
    expect(full.contestedUnknown).toBe(true);
  });
});

describe('evaluateContest', () => {
  const migration = { sourceShardCount: 2, finalSeqNos: { 0: 50, 1: 70 } };
  const self = shard(0, { snapshot: snapshot(50) });
  const judge = (other: ShardRecord, own = self) => evaluateContest([own, other], 0, migration);

  test('no place is contested, and the other shard is between two rounds: this shard need not wait', () => {
    expect(judge(shard(1, { phase: 'CONVERGED', snapshot: snapshot(60) }))).toEqual({ type: 'complete' });
  });

  test('nor in its last round, which began under the block', () => {
    const other = shard(1, { snapshot: snapshot(60), nextSnapshot: snapshot(70) });
    expect(judge(other)).toEqual({ type: 'complete' });
  });

  test('a round or a repair that began before the block is waited for', () => {
    const broken = shard(1, { snapshot: snapshot(60), nextSnapshot: snapshot(65) });
    expect(judge(broken)).toEqual({ type: 'wait' });
    expect(judge(shard(1, { snapshot: snapshot(70), sweepPending: true }))).toEqual({ type: 'wait' });
    expect(judge(shard(1))).toEqual({ type: 'wait' });
  });

  test.each([{ contestedIds: ['x'] }, { contestedUnknown: true }])(
    'with %j, noted by whichever of them, the others are waited for',
    (contested) => {
      const between = shard(1, { snapshot: snapshot(60) });
      expect(judge({ ...between, ...contested })).toEqual({ type: 'wait' });
      expect(judge(between, { ...self, ...contested })).toEqual({ type: 'wait' });
    },
  );

  /** Nothing that was sent for the shard can come once more. */
  const quiet = { ...self.writer, quietAtMillis: self.writer.heartbeatAtMillis };

  test('when all are at their final snapshots and quiet the ids of all are looked at', () => {
    const own = { ...self, contestedIds: ['x', 'y'] };
    const ended = shard(1, {
      phase: 'COMPLETING',
      finalDocumentCount: 7,
      contestedIds: ['y', 'z'],
      writer: quiet,
    });
    expect(judge(ended, own)).toEqual({ type: 'check', ids: ['x', 'y', 'z'], unknown: false, documents: 17 });
    const waiting = shard(1, { snapshot: snapshot(70, 8), contestedUnknown: true, writer: quiet });
    expect(judge(waiting, own)).toEqual({ type: 'check', ids: ['x', 'y'], unknown: true, documents: 18 });
  });

  test('one whose bulks may come once more is waited for, at its end as well', () => {
    const own = { ...self, contestedIds: ['x'] };
    expect(judge(shard(1, { snapshot: snapshot(70) }), own)).toEqual({ type: 'wait' });
    expect(judge(shard(1, { phase: 'COMPLETING', finalDocumentCount: 7 }), own)).toEqual({ type: 'wait' });
  });

  test('a record that could not be read is waited for', () => {
    expect(evaluateContest([self], 0, migration)).toEqual({ type: 'wait' });
  });
});
