import { readResults } from './read-results';
import { summarize } from './summary';

const line = (outcome: string, counts: object = {}): string => JSON.stringify({ outcome, ...counts });

test('runs are added up by outcome, older lines with what they have', () => {
  const text = [
    line('exact', { operations: 10, takeovers: 1, at: '2026-01-01T00:00:00.000Z' }),
    line('exact', { operations: 5, snapshotsLost: 2 }),
    line('interrupted', { operations: 3 }),
    '',
  ].join('\n');
  const [all, exact, interrupted, ...more] = summarize(readResults(text)).split('\n');
  expect(all).toBe('3 runs');
  expect(exact).toMatch(/^2 exact: .*\b15 operations.*2 snapshots lost, 1 takeovers/);
  expect(interrupted).toMatch(/^1 interrupted: .*\b3 operations/);
  expect(more).toEqual([]);
});

test.each(['{', line('unheard of'), line('exact', { operations: 'many' })])('%s is no result', (bad) => {
  expect(() => readResults(`${line('wrong')}\n${bad}\n`)).toThrow('line 2 is no result of a run');
});
