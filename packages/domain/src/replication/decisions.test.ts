import { compareSnapshotIdentity, decideConflict, decideDelete, type TargetDocument } from '..';

const seen = (version: string, routing?: string): TargetDocument => ({
  found: true,
  version,
  routing,
  seqNo: 8,
  primaryTerm: 2,
});

describe('decideConflict', () => {
  const ours = { routing: 'r', version: '5' };

  test('409, then nothing there: the tombstone of a delete was still remembered', () => {
    expect(decideConflict({ found: false }, ours)).toBe('retry');
  });

  test('the target has a higher version: deleted and made again in the source', () => {
    expect(decideConflict(seen('6', 'r'), ours)).toBe('recreated');
  });

  test('the version is no longer higher: written again', () => {
    expect(decideConflict(seen('5', 'r'), ours)).toBe('retry');
    expect(decideConflict(seen('4', 'r'), ours)).toBe('retry');
  });

  test('another routing, or none: two documents of the source share the id', () => {
    expect(decideConflict(seen('6', 'other'), ours)).toBe('shared_id');
    expect(decideConflict(seen('6'), ours)).toBe('shared_id');
    expect(decideConflict(seen('1', 'r'), { routing: undefined, version: '1' })).toBe('shared_id');
  });

  test('versions are compared as numbers of any size, not as text and not as doubles', () => {
    expect(decideConflict(seen('10', 'r'), { routing: 'r', version: '9' })).toBe('recreated');
    expect(decideConflict(seen('9', 'r'), { routing: 'r', version: '10' })).toBe('retry');
    expect(decideConflict(seen('9007199254740993', 'r'), { routing: 'r', version: '9007199254740992' })).toBe(
      'recreated',
    );
  });
});

describe('decideDelete', () => {
  test('already gone: done', () => {
    expect(decideDelete({ found: false }, { routing: 'r' })).toEqual({ kind: 'done' });
  });

  test('there with the same routing: exactly what was seen is deleted', () => {
    expect(decideDelete(seen('3', 'r'), { routing: 'r' })).toEqual({
      kind: 'delete',
      seqNo: 8,
      primaryTerm: 2,
    });
    expect(decideDelete(seen('3'), { routing: undefined })).toEqual({
      kind: 'delete',
      seqNo: 8,
      primaryTerm: 2,
    });
  });

  test('there with another routing: another document, which stays', () => {
    expect(decideDelete(seen('3', 'other'), { routing: 'r' })).toEqual({ kind: 'leave' });
    expect(decideDelete(seen('3'), { routing: 'r' })).toEqual({ kind: 'leave' });
  });
});

describe('compareSnapshotIdentity', () => {
  const before = { historyUuid: 'h', allocationId: 'a', primaryTerm: 3 };

  test('nothing changed', () => {
    expect(compareSnapshotIdentity(before, { ...before })).toBe('same_primary');
  });

  test('promoted replica, relocated primary, primary that restarted in place', () => {
    expect(compareSnapshotIdentity(before, { ...before, allocationId: 'b', primaryTerm: 4 })).toBe(
      'primary_changed',
    );
    expect(compareSnapshotIdentity(before, { ...before, allocationId: 'b' })).toBe('primary_changed');
    expect(compareSnapshotIdentity(before, { ...before, primaryTerm: 4 })).toBe('primary_changed');
  });

  test.each([
    [{ historyUuid: 'x', primaryTerm: 4 }, 'the history uuid changed from [h] to [x]'],
    [{ primaryTerm: 2 }, 'the primary term went back: it changed from [3] to [2]'],
  ])('another history: %j', (change, replaced) => {
    expect(compareSnapshotIdentity(before, { ...before, ...change })).toEqual({ replaced });
  });
});
