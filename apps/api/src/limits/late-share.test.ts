import { createLateShare } from './late-share';

test('late work gets each fourth of the turns that both wait for', () => {
  const choose = createLateShare();
  const turns = Array.from({ length: 8 }, () => choose('in time', 'late'));
  const four = ['in time', 'in time', 'in time', 'late'];
  expect(turns).toEqual([...four, ...four]);
});

test('whatever waits alone gets the turn, and that counts for nothing', () => {
  const choose = createLateShare();
  expect([
    choose<string>(undefined, undefined),
    choose('in time', undefined),
    choose(undefined, 'late'),
  ]).toEqual([undefined, 'in time', 'late']);
  expect([choose('in time', 'late'), choose('in time', 'late'), choose('in time', 'late')]).not.toContain(
    'late',
  );
  expect(choose('in time', 'late')).toBe('late');
});
