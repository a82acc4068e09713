import { maxContestedIds } from '@aosc/domain';
import type { DocumentKey, RawDocument } from '../../ports/documents';
import { TargetConflicts } from './target-conflicts';

const document = (id: string): RawDocument => ({
  idToken: JSON.stringify(id),
  routingToken: undefined,
  version: '1',
  source: new Uint8Array(),
  size: 0,
});
const batch = ['a', 'b', 'c'].map(document);
/** documents of the batch, by their positions */
const at = (...positions: readonly number[]): readonly RawDocument[] =>
  batch.filter((_, position) => positions.includes(position));
const key = (id: string): DocumentKey => ({ id, routing: undefined });
const newOnes =
  (...ids: readonly string[]) =>
  (keys: readonly DocumentKey[]) =>
    Promise.resolve(keys.filter(({ id }) => ids.includes(id)));

test('a first copy: what replaces another one is a collision, and contested where places are shared', async () => {
  for (const sharesPlaces of [true, false]) {
    const targetConflicts = new TargetConflicts(sharesPlaces);
    targetConflicts.expectNewDocuments();
    expect(targetConflicts.isWatching(false)).toBe(true);
    await targetConflicts.note({ replaced: at(1), doubted: at(2) }, false);
    expect(targetConflicts.takeContested()).toEqual({ ids: sharesPlaces ? ['b', 'c'] : [], unknown: false });
    expect(targetConflicts.takeCollisions()).toEqual({
      count: 1,
      first: ['[b]'],
      ids: ['b'],
      areAllIds: true,
    });
    expect(targetConflicts.isWatching(false)).toBe(false);
  }
});

test('a round: only new documents contest a place', async () => {
  const targetConflicts = new TargetConflicts(true);
  expect(targetConflicts.isWatching(false)).toBe(false);
  targetConflicts.watchNewDocuments(newOnes('a', 'c'));
  expect(targetConflicts.isWatching(false)).toBe(true);
  await targetConflicts.note({ replaced: at(0, 1), doubted: at(1, 2) }, false);
  expect(targetConflicts.takeContested()).toEqual({ ids: ['a', 'c'], unknown: false });
  expect(targetConflicts.takeCollisions()).toBeUndefined();
});

test('a document that was set aside and replaces another one contests the place, though it is not new', async () => {
  const targetConflicts = new TargetConflicts(true);
  expect(targetConflicts.isWatching(false, true)).toBe(true);
  await targetConflicts.note({ replaced: at(0, 1), doubted: at(2) }, false, new Set(at(1, 2)));
  expect(targetConflicts.takeContested()).toEqual({ ids: ['b', 'c'], unknown: false });
  expect(new TargetConflicts(false).isWatching(false, true)).toBe(false);
});

test('written again behind a conflict: whatever replaces another one then contests a place, new or not', async () => {
  const targetConflicts = new TargetConflicts(true);
  expect(targetConflicts.isWatching(true)).toBe(true);
  await targetConflicts.note({ replaced: at(1), doubted: at() }, true);
  expect(targetConflicts.takeContested()).toEqual({ ids: ['b'], unknown: false });
  expect(new TargetConflicts(false).isWatching(true)).toBe(false);
});

test('what was taken is not told again; more ids than are kept are told to be unknown', () => {
  const targetConflicts = new TargetConflicts(true);
  const ids = Array.from({ length: maxContestedIds + 1 }, (_, n) => `d${n}`);
  targetConflicts.contest(ids.map(key));
  targetConflicts.contest([key('d0')]);
  expect(targetConflicts.takeContested()).toEqual({ ids: ids.slice(0, -1), unknown: true });
  expect(targetConflicts.takeContested()).toEqual({ ids: [], unknown: false });
});

test('a document that gave way is left out until it is written', () => {
  const targetConflicts = new TargetConflicts(true);
  targetConflicts.giveWay(key('a'));
  targetConflicts.giveWay(key('x'));
  targetConflicts.wasWritten(batch);
  expect(targetConflicts.left).toEqual([key('x')]);
});
