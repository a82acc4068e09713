import { isPermitGranted, type PermitView } from './permits';

const view: PermitView = { limit: 2, active: ['a', 'b', 'c'], working: [], self: 'a' };

test('the oldest jobs of a queue hold its permits', () => {
  const granted = view.active.filter((self) => isPermitGranted({ ...view, self }));
  expect(granted).toEqual(['a', 'b']);
});

test('with 0 permits no job gets one', () => {
  expect(isPermitGranted({ ...view, limit: 0 })).toBe(false);
});

test('a shard at work that has lost its job counts, and comes first', () => {
  const working = ['orphan', 'a'];
  expect(isPermitGranted({ ...view, working })).toBe(true);
  expect(isPermitGranted({ ...view, working, self: 'b' })).toBe(false);
});

test('a shard at work is not counted twice, nor as before itself', () => {
  expect(isPermitGranted({ ...view, working: ['a', 'b', 'b', 'c'], self: 'b' })).toBe(true);
  expect(isPermitGranted({ ...view, active: ['a'], working: ['x', 'x'], self: 'a' })).toBe(true);
});

test('a job that Redis has forgotten has no permit', () => {
  expect(isPermitGranted({ ...view, self: 'gone' })).toBe(false);
});
