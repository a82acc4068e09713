import { documentKeyString } from '@aosc/domain';
import fc from 'fast-check';
import { ShardFailedError } from '../errors';
import {
  assertAllFound,
  assertAllRead,
  assertEachRead,
  evaluateChanged,
  isSearchOver,
  planDeletes,
} from './evaluate-round';

const head = (id: string, version: string, routing?: string) => ({
  id,
  routing,
  version,
  seqNo: 1,
  primaryTerm: 1,
});
const keyOf = (id: string, routing?: string) => documentKeyString({ id, routing });

describe('a page of changed documents', () => {
  test('has those as created that the old snapshot does not have under their routing', () => {
    const before = new Map([
      [keyOf('a'), { version: '1' }],
      [keyOf('b', 'r'), { version: '1' }],
    ]);
    const heads = [head('a', '2'), head('b', '2', 'r'), head('b', '2', 's'), head('c', '1')];
    expect(evaluateChanged(heads, before)).toEqual({
      created: [keyOf('b', 's'), keyOf('c')],
      mayComeOverItself: false,
    });
  });

  test.each([
    ['higher', '8', '7', false],
    ['equal', '7', '7', true],
    ['lower', '6', '7', true],
    ['higher by one where a double can not tell', '9007199254740993', '9007199254740992', false],
    ['higher by its number of digits', '10', '9', false],
  ])('with a version that is %s: may the old state come over it?', (_, now, then, may) => {
    const before = new Map([[keyOf('a'), { version: then }]]);
    const { mayComeOverItself } = evaluateChanged([head('a', now)], before);
    expect(mayComeOverItself).toBe(may);
  });
});

describe('deletes', () => {
  const of = (documentCount: number) => ({ documentCount });

  test('are not searched for when none is missing by count', () => {
    expect(planDeletes(of(10), of(12), { changed: 5, created: 2 }, false)).toBeUndefined();
  });

  test('are searched for when some are, among as many documents as have left their number', () => {
    const search = planDeletes(of(10), of(9), { changed: 5, created: 2 }, false);
    expect(search).toEqual({ expected: 3, differences: 6, thorough: false });
  });

  test('are searched for everywhere after a change of primary, also when none is missing by count', () => {
    const search = planDeletes(of(10), of(12), { changed: 5, created: 2 }, true);
    expect(search).toEqual({ expected: 0, differences: 3, thorough: true });
  });

  test('are counted exactly, for any two snapshots', () => {
    const set = fc.uniqueArray(fc.nat(60)).map((items) => new Set(items));
    fc.assert(
      fc.property(set, set, (before, after) => {
        const created = [...after].filter((item) => !before.has(item)).length;
        const gone = [...before].filter((item) => !after.has(item)).length;
        const search = planDeletes(of(before.size), of(after.size), { changed: created, created }, true);
        expect(search?.expected).toBe(gone);
      }),
    );
  });

  test('fail the shard when more are missing than there were, or fewer than none', () => {
    expect(() => planDeletes(of(2), of(5), { changed: 0, created: 0 }, false)).toThrow(ShardFailedError);
    expect(() => planDeletes(of(2), of(0), { changed: 1, created: 1 }, false)).toThrow(ShardFailedError);
  });

  test('all found: the search is over, unless another primary has brought in more', () => {
    const search = { expected: 3, differences: 6, thorough: false };
    expect(isSearchOver(search, 2)).toBe(false);
    expect(isSearchOver(search, 3)).toBe(true);
    expect(isSearchOver({ ...search, thorough: true }, 3)).toBe(false);
  });

  test.each([2, 4])('%i found where 3 are missing fail the shard', (found) => {
    const search = { expected: 3, differences: 6, thorough: true };
    expect(() => assertAllFound(7, search, found)).toThrow(
      `source shard [7] contradict each other: 3 documents were deleted between them by count, ${found} by`,
    );
    expect(() => assertAllFound(7, search, 3)).not.toThrow();
  });
});

describe('documents that are read to be written', () => {
  test.each([4, 6])('%i of 5 counted ones fail the shard', (read) => {
    expect(() => assertAllRead(7, 5, read)).toThrow(ShardFailedError);
    expect(() => assertAllRead(7, 5, 5)).not.toThrow();
  });

  test('by number: each must be there, and several can share one', () => {
    expect(() => assertEachRead(7, [1, 2, 2], 1)).toThrow('2 changed documents by count, 1 were');
    expect(() => assertEachRead(7, [1, 2, 2], 2)).not.toThrow();
    expect(() => assertEachRead(7, [1, 2], 3)).not.toThrow();
  });
});
