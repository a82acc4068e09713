import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appendLine } from '../support/result-lines';
import type { Point } from './place';
import { describeFailures, describeSpan } from './report-runs';
import { outcomeOf, readResults, type Result } from './results';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crash-points-'));
  file = join(folder, 'deeper', 'results.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true }));

const [first, second, third] = ['first', 'second', 'third'].map((place): Point => ({
  scenario: 'complete',
  place,
  moment: 'after',
})) as [Point, Point, Point];
const points = [first, second, third];

function add(point: Point, outcome: Result['outcome'], parts: Partial<Result> = {}): void {
  const at = '2025-02-03T04:05:06.000Z';
  appendLine(file, { ...point, outcome, problems: [], elapsedMs: 7, commit: 'abc1234', at, ...parts });
}

test('the last run of a point decides, unless it has missed it', () => {
  expect(outcomeOf(readResults(file), first)).toBe('not run');
  add(first, 'missed');
  expect(outcomeOf(readResults(file), first)).toBe('missed');
  add(first, 'passed');
  add(first, 'missed');
  expect(outcomeOf(readResults(file), first)).toBe('passed');
  add(first, 'failed');
  expect(outcomeOf(readResults(file), first)).toBe('failed');
});

test('a pass does not undo a failure', () => {
  const at = '2025-01-01T00:00:00.000Z';
  const problems = ['ended `FAILED`'];
  add(first, 'failed', { problems, at, commit: 'old0000-dirty' });
  add(second, 'failed', { problems, at, commit: 'old0000-dirty' });
  add(third, 'failed', { problems: ['lost 1'] });
  add(first, 'passed');
  add(second, 'passed');
  const results = readResults(file);
  expect(points.map((point) => outcomeOf(results, point))).toEqual(['passed', 'passed', 'failed']);
  expect(describeFailures(points, results)).toEqual([
    'Points that have failed in some run: 3, of which 2 passed when they were repeated.',
    '- `complete: first after`, `complete: second after` (old0000-dirty, 2025-01-01): `ended FAILED `\n' +
      '- `complete: third after` (abc1234, 2025-02-03): `lost 1`',
  ]);
  expect(describeFailures([], results)).toEqual(['No point has ever failed.']);
});

test('the commits and the days of the outcomes are told, also of results that have none', () => {
  expect(describeSpan(points, readResults(file))).toBe('Nothing was run.');
  add(first, 'passed', { at: '2025-01-01T00:00:00.000Z', commit: 'old0000' });
  add(second, 'passed');
  const { commit: _commit, at: _at, ...old } = readResults(file).get('complete: first after')?.last as Result;
  add(first, 'passed', { commit: 'def5678' });
  writeFileSync(file, `${JSON.stringify({ ...old, ...third })}\n`, { flag: 'a' });
  expect(describeSpan(points, readResults(file))).toBe(
    'Points by the commit at which they had their outcome: `def5678` (1), `abc1234` (1), ' +
      'a commit that was not written down (1), run on 2025-02-03.',
  );
});
