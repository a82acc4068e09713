import { growthFor } from './garbage-policy';

test('a small worker collects later; a worker that holds much leaves it to V8', () => {
  expect(growthFor(60 * 2 ** 20)).toBe(200);
  expect(growthFor(128 * 2 ** 20)).toBe(200);
  expect(growthFor(200 * 2 ** 20)).toBe(0);
});
