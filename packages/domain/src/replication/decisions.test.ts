import { compareSnapshotIdentity, decideDelete, type TargetDocument, wasRecreated } from '..';

const seen = (version: string, routing?: string): TargetDocument => ({
  found: true,
  version,
  routing,
  seqNo: 8,
  primaryTerm: 2,
});

describe('wasRecreated', () => {
  const recreated = (theirs: string, ours: string) => wasRecreated({ version: theirs }, { version: ours });

  test('the target has a higher version: deleted and made again in the source', () => {
    expect(recreated('6', '5')).toBe(true);
  });

  test('the version is no longer higher: written again', () => {
    expect(recreated('5', '5')).toBe(false);
    expect(recreated('4', '5')).toBe(false);
  });

  test('versions are compared as numbers of any size, not as text and not as doubles', () => {
    expect(recreated('10', '9')).toBe(true);
    expect(recreated('9', '10')).toBe(false);
    expect(recreated('9007199254740993', '9007199254740992')).toBe(true);
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
