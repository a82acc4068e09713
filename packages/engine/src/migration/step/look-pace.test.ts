import { LookPace } from './look-pace';

test('each migration is looked at once in a while', () => {
  let now = 0;
  const pace = new LookPace({ monotonic: () => now }, 1000);
  expect(pace.isDue('a')).toBe(true);
  now = 999;
  expect(pace.isDue('a')).toBe(false);
  expect(pace.isDue('b')).toBe(true);
  now = 1000;
  expect(pace.isDue('a')).toBe(true);
  expect(pace.isDue('b')).toBe(false);
});
