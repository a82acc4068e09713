import { ClusterError } from '@aosc/engine';
import { NewestState } from './newest-state';

const state = (term: number, version: number, clusterUuid = 'c') => ({ clusterUuid, term, version });

test.each([
  ['the same version', state(2, 10), state(2, 10)],
  ['a later version', state(2, 10), state(2, 11)],
  ['a later term, whatever its version', state(2, 10), state(3, 4)],
  ['another cluster', state(2, 10), state(1, 1, 'other')],
])('%s is taken', (_name, before, after) => {
  const newest = new NewestState();
  newest.accept(before);
  newest.accept(after);
  expect(newest.read()).toEqual(after);
});

test.each([
  ['an earlier version', state(2, 10), state(2, 9)],
  ['an earlier term, whatever its version', state(2, 10), state(1, 99)],
])('%s is refused as one of the past, and changes nothing', (_name, before, after) => {
  const newest = new NewestState();
  newest.accept(before);
  expect(() => newest.accept(after)).toThrow(ClusterError);
  expect(newest.read()).toEqual(before);
});

test('what another process has seen counts, unless more is known already', () => {
  const newest = new NewestState();
  newest.remember(state(2, 10));
  expect(() => newest.accept(state(2, 9))).toThrow(/a node that was away/);
  newest.remember(state(1, 50));
  expect(newest.read()).toEqual(state(2, 10));
});

test('an answer is overtaken when a newer state was seen after it was asked for, and not before', () => {
  const newest = new NewestState();
  newest.accept(state(1, 5));
  const seenBefore = newest.read();
  newest.accept(state(1, 7));
  expect(newest.hasOvertaken(state(1, 6), seenBefore)).toBe(true);
  expect(newest.hasOvertaken(state(1, 6), undefined)).toBe(true);
  expect(newest.hasOvertaken(state(1, 4), seenBefore)).toBe(false);
  expect(newest.hasOvertaken(state(1, 7), seenBefore)).toBe(false);
  expect(newest.hasOvertaken(state(1, 6), newest.read())).toBe(false);
});
