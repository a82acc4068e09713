import type { Principal } from './principal';
import { rememberIndices } from './remembered-indices';

const principal = (indexPatterns: readonly string[] | undefined): Principal => ({
  kind: 'user',
  name: 'ann',
  roles: ['read'],
  indexPatterns,
});

test('the answers are those of the patterns, the first time and later', () => {
  const mayUse = rememberIndices();
  const ann = principal(['a-*', 'b']);
  for (let time = 0; time < 2; time++) {
    expect(['a-1', 'b', 'b-1', 'c'].map(mayUse(ann))).toEqual([true, true, false, false]);
  }
  expect(['a-1', 'c'].map(mayUse(principal(['c'])))).toEqual([false, true]);
});

test('without patterns, and without credentials, every index may be used', () => {
  const mayUse = rememberIndices();
  expect([principal(undefined), undefined].map((who) => mayUse(who)('anything'))).toEqual([true, true]);
});
