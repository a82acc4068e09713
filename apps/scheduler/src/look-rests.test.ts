import { createLookRests } from './look-rests';

test('a rest is of one migration, ends by itself, and ends early when the next look asks for none', () => {
  let now = 1000;
  const rests = createLookRests(() => now);
  expect(rests.left('a')).toBe(0);
  rests.begin('a', 300);
  now += 100;
  expect([rests.left('a'), rests.left('b')]).toEqual([200, 0]);
  now += 200;
  expect(rests.left('a')).toBe(0);
  rests.begin('a', 300);
  rests.begin('a', undefined);
  expect(rests.left('a')).toBe(0);
});
