import { newShardRecord } from './new-shard';
import { askForRepair, endRepair, takeRepair } from './repair-ids';

const idle = newShardRecord('0123456789abcdef0123', 3, 0);

test('ids that were written again are asked for no more', () => {
  const asked = askForRepair(idle, ['a', 'b']);
  expect(takeRepair(asked)).toEqual(['a', 'b']);
  expect(endRepair(asked, ['a', 'b'])).toEqual(idle);
});

test('an id that is asked for while it is written again is written once more', () => {
  const working = askForRepair(idle, ['a', 'b']);
  const taken = takeRepair(working);
  const left = endRepair(askForRepair(askForRepair(working, ['b', 'c']), ['b', 'c']), taken);
  expect(left.repairIds).toEqual(['b', 'c']);
});

test('an id that is asked for while it is written again is kept when others are asked for', () => {
  const working = askForRepair(idle, ['a', 'b']);
  const taken = takeRepair(working);
  const asked = askForRepair(askForRepair(askForRepair(working, ['b']), ['d']), ['a']);
  expect(endRepair(asked, taken).repairIds).toEqual(['b', 'd', 'a']);
});

test('however often the same ids are asked for, each is there twice at the most', () => {
  let record = idle;
  for (let times = 0; times < 9; times++) record = askForRepair(record, ['a', 'b']);
  expect(record.repairIds).toEqual(['a', 'b', 'a', 'b']);
});
