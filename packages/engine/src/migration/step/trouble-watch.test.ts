import { TroubleWatch } from './trouble-watch';

test('measures from the first failure since the last success, for each migration', () => {
  let now = 0;
  const watch = new TroubleWatch({ monotonic: () => now });
  expect(watch.note('a')).toBe(0);
  now = 700;
  expect([watch.note('a'), watch.note('b')]).toEqual([700, 0]);
  watch.clear('a');
  now = 900;
  expect([watch.note('a'), watch.note('b')]).toEqual([0, 200]);
});

test('remembers a bounded number of migrations, and forgets the oldest first', () => {
  let now = 0;
  const watch = new TroubleWatch({ monotonic: () => now });
  for (let at = 0; at <= 1000; at += 1) watch.note(`m-${at}`);
  now = 5;
  expect([watch.note('m-1000'), watch.note('m-0')]).toEqual([5, 0]);
});
