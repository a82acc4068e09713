import { percentileOf } from './percentile';

test('a percentile is a value that was measured', () => {
  const values = Array.from({ length: 100 }, (_, i) => 100 - i);
  expect([0.5, 0.99, 1].map((share) => percentileOf(values, share))).toEqual([50, 99, 100]);
  expect(percentileOf([7], 0.99)).toBe(7);
  expect(() => percentileOf([], 0.5)).toThrow('nothing was measured');
});
