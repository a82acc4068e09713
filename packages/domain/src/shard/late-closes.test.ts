import { newShardRecord } from './new-shard';
import { afterClosing, lateCloseMaxMs, pitIdsToClose, wasLateClosed } from './late-closes';

const record = { ...newShardRecord('0123456789abcdef0123', 0, 0), closingPitIds: ['a', 'b'] };

test('what is closed is forgotten, what is left is tried again', () => {
  const after = afterClosing(record, ['a', 'b'], ['b'], 1000);
  expect(after).toMatchObject({ closingPitIds: [], lateCloses: [{ pitId: 'b', sinceMillis: 1000 }] });
  expect(pitIdsToClose(after)).toEqual(['b']);
});

test('nothing left: the record is as if nothing had been late', () => {
  const late = afterClosing(record, ['a', 'b'], ['b'], 1000);
  const after = afterClosing(late, ['b'], [], 2000);
  expect(after).not.toHaveProperty('lateCloses');
  expect(wasLateClosed(late, [])).toBe(true);
  expect(wasLateClosed(late, ['b'])).toBe(false);
  expect(wasLateClosed(record, [])).toBe(false);
});

test('the time of the first try stays, and ends the tries', () => {
  const late = afterClosing(record, ['a', 'b'], ['a', 'b'], 1000);
  const again = afterClosing(late, ['a', 'b'], ['a', 'b'], 5000);
  expect(again.lateCloses?.map(({ sinceMillis }) => sinceMillis)).toEqual([1000, 1000]);
  expect(afterClosing(again, ['a', 'b'], ['a', 'b'], 1001 + lateCloseMaxMs)).not.toHaveProperty('lateCloses');
});

test('what was listed meanwhile is not lost', () => {
  const more = { ...record, closingPitIds: ['a', 'b', 'c'] };
  expect(afterClosing(more, ['a', 'b'], [], 0).closingPitIds).toEqual(['c']);
});
