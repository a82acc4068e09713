import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readResults } from './read-results';
import { summarize } from './summary';

const folder = mkdtempSync(join(tmpdir(), 'exactness-'));
afterAll(() => rmSync(folder, { recursive: true }));

const line = (outcome: string, counts: object = {}): string => JSON.stringify({ outcome, ...counts });
const fileWith = (...lines: readonly string[]): string => {
  const file = join(folder, 'results.jsonl');
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
};

test('runs are added up by outcome, older lines with what they have', () => {
  const file = fileWith(
    line('exact', { operations: 10, takeovers: 1, at: '2026-01-01T00:00:00.000Z' }),
    line('exact', { operations: 5, snapshotsLost: 2 }),
    line('interrupted', { operations: 3 }),
  );
  const [all, exact, interrupted, ...more] = summarize(readResults(file)).split('\n');
  expect(all).toBe('3 runs');
  expect(exact).toMatch(/^2 exact: .*\b15 operations.*2 snapshots lost, 1 takeovers/);
  expect(interrupted).toMatch(/^1 interrupted: .*\b3 operations/);
  expect(more).toEqual([]);
});

test.each(['{', line('unheard of'), line('exact', { operations: 'many' })])('%s is no result', (bad) => {
  const file = fileWith(line('wrong'), bad);
  expect(() => readResults(file)).toThrow(`line 2 of ${file} is no result of a run`);
});
