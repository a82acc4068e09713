import { createSuspects } from './suspects';

test('a client is a suspect for a while after it was noted last', () => {
  const clock = { millis: 0 };
  const suspects = createSuspects(100, () => clock.millis);
  expect(suspects.has('a')).toBe(false);
  suspects.note('a');
  clock.millis = 60;
  suspects.note('a');
  clock.millis = 159;
  expect([suspects.has('a'), suspects.has('b')]).toEqual([true, false]);
  clock.millis = 160;
  expect(suspects.has('a')).toBe(false);
});
