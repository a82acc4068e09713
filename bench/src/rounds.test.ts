import { alternate, rotate } from './rounds';

test('each round begins with another kind of run', () => {
  expect([0, 1, 2, 3].map((by) => rotate(['a', 'b', 'c'], by).join(''))).toEqual([
    'abc',
    'bca',
    'cab',
    'abc',
  ]);
});

test('runs of the warm-up are told from those that count', async () => {
  const kinds = ['a', 'b'].map((name) => (round: number) => Promise.resolve(`${name}${round}`));
  const seen: string[] = [];
  const options = { rounds: 2, warmUpRounds: 2, warmUpKinds: kinds.slice(1) };
  const { warmUp, runs } = await alternate(kinds, options, (run) => seen.push(run));
  expect(warmUp).toEqual(['b0', 'b0']);
  expect(runs).toEqual(['b1', 'a1', 'a2', 'b2']);
  expect(seen).toEqual([...warmUp, ...runs]);
});

test('a run that fails ends them', async () => {
  const broken = [() => Promise.reject(new Error('no target'))];
  const options = { rounds: 1, warmUpRounds: 0, warmUpKinds: [] };
  await expect(alternate(broken, options, () => undefined)).rejects.toThrow('no target');
});
