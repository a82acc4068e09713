import { maxContestedIds } from '@aosc/domain';
import type { DocumentKey, RawDocument } from '../../ports/documents';
import { Meetings } from './meetings';

const document = (id: string): RawDocument => ({
  idToken: JSON.stringify(id),
  routingToken: undefined,
  version: '1',
  source: new Uint8Array(),
  size: 0,
});
const batch = ['a', 'b', 'c'].map(document);
const key = (id: string): DocumentKey => ({ id, routing: undefined });
const newOnes =
  (...ids: readonly string[]) =>
  (keys: readonly DocumentKey[]) =>
    Promise.resolve(keys.filter(({ id }) => ids.includes(id)));

test('a first copy: what replaces another one is a collision, and contested where places are shared', async () => {
  for (const sharesPlaces of [true, false]) {
    const meetings = new Meetings(sharesPlaces);
    meetings.expectNewDocuments();
    expect(meetings.isWatching(false)).toBe(true);
    await meetings.note(batch, { replaced: [1], doubted: [2] }, false);
    expect(meetings.takeContested()).toEqual({ ids: sharesPlaces ? ['b', 'c'] : [], unknown: false });
    expect(meetings.takeCollisions()).toEqual({
      count: 1,
      first: ['[b]'],
      ids: ['b'],
      areAllIds: true,
    });
    expect(meetings.isWatching(false)).toBe(false);
  }
});

test('a round: only new documents contest a place', async () => {
  const meetings = new Meetings(true);
  expect(meetings.isWatching(false)).toBe(false);
  meetings.watchNewDocuments(newOnes('a', 'c'));
  expect(meetings.isWatching(false)).toBe(true);
  await meetings.note(batch, { replaced: [0, 1], doubted: [1, 2] }, false);
  expect(meetings.takeContested()).toEqual({ ids: ['a', 'c'], unknown: false });
  expect(meetings.takeCollisions()).toBeUndefined();
});

test('written again behind a conflict: whatever replaces another one then contests a place, new or not', async () => {
  const meetings = new Meetings(true);
  expect(meetings.isWatching(true)).toBe(true);
  await meetings.note(batch, { replaced: [1], doubted: [] }, true);
  expect(meetings.takeContested()).toEqual({ ids: ['b'], unknown: false });
  expect(new Meetings(false).isWatching(true)).toBe(false);
});

test('what was taken is not told again; more ids than are kept are told to be unknown', () => {
  const meetings = new Meetings(true);
  const ids = Array.from({ length: maxContestedIds + 1 }, (_, n) => `d${n}`);
  meetings.contest(ids.map(key));
  meetings.contest([key('d0')]);
  expect(meetings.takeContested()).toEqual({ ids: ids.slice(0, -1), unknown: true });
  expect(meetings.takeContested()).toEqual({ ids: [], unknown: false });
});

test('a document that gave way is left out until it is written', () => {
  const meetings = new Meetings(true);
  meetings.giveWay(key('a'));
  meetings.giveWay(key('x'));
  meetings.wasWritten(batch);
  expect(meetings.left).toEqual([key('x')]);
});
