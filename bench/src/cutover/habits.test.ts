import { waitBefore } from './habits';

test('a refused write is sent again at once, after a pause that grows, or never', () => {
  const tries = [1, 2, 3, 9];
  expect(tries.map((each) => waitBefore('at once', each))).toEqual([0, 0, 0, 0]);
  expect(tries.map((each) => waitBefore('with backoff', each))).toEqual([50, 100, 200, 2000]);
  expect(tries.map((each) => waitBefore('never', each))).toEqual(tries.map(() => undefined));
});
