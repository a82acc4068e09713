import { failure, success } from './__tests__/reports';
import { gradientOf, learnLatency, noLatencies } from './latency-gradient';

const first = { ticket: 0 };
const learnAll = (tooks: readonly (number | undefined)[], documents = 100) =>
  tooks.reduce((state, tookMs) => learnLatency(state, success(first, { documents, tookMs })), noLatencies);

test('the first sample is both averages; then one half and one tenth of what is new', () => {
  expect(learnAll([100])).toEqual({ short: 1, long: 1, samples: 1 });
  const second = learnAll([100, 300]);
  expect(second.short).toBeCloseTo(2);
  expect(second.long).toBeCloseTo(1.2);
});

test('known from the fifth sample on', () => {
  expect(gradientOf(learnAll([100, 100, 100, 100]))).toBeUndefined();
  expect(gradientOf(learnAll([100, 100, 100, 100, 100]))).toBeCloseTo(1);
  expect(gradientOf(learnAll([100, 100, 100, 100, 400]))).toBeCloseTo(2.5 / 1.3);
});

test('failures count; what has no time or no documents does not; a time of 0 does', () => {
  expect(learnLatency(noLatencies, failure(first, 'overload', { documents: 10, tookMs: 20 })).short).toBe(2);
  expect(learnAll([undefined])).toEqual(noLatencies);
  expect(learnAll([50], 0)).toEqual(noLatencies);
  expect(learnAll([0]).samples).toBe(1);
});

test('a cluster that needs no time at all is steady', () => {
  expect(gradientOf(learnAll([0, 0, 0, 0, 0]))).toBe(1);
});
