import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLab } from './lab';
import type { Point } from './place';
import { outcomeOf, readResults } from './results';
import { type Deaths, runDeaths } from './run-point';
import { runPoints } from './run-points';

jest.mock('./lab', () => ({ startLab: jest.fn() }));
jest.mock('./run-point', () => ({ runDeaths: jest.fn() }));

const folder = mkdtempSync(join(tmpdir(), 'run-points-'));
afterAll(() => rmSync(folder, { recursive: true }));
const points = ['first', 'second', 'third'].map((place): Point => ({
  scenario: 'complete',
  place,
  moment: 'after',
}));
const [first, second, third] = points as [Point, Point, Point];
const deaths = (met: readonly Point[], problems: readonly string[] = []): Deaths => {
  const outcome = problems.length > 0 ? 'failed' : met.length > 0 ? 'passed' : 'missed';
  return { met, outcome, problems, elapsedMs: 1 };
};

test('points that a migration has not met are tried again, so often in a row, and a failure gets a new lab', async () => {
  const file = join(folder, 'results.jsonl');
  jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  const labs = jest.mocked(startLab).mockImplementation(() => Promise.resolve({ stop: jest.fn() } as never));
  const runs = jest.mocked(runDeaths);
  for (const one of [deaths([second], ['lost 1']), deaths([]), deaths([first]), deaths([]), deaths([])])
    runs.mockResolvedValueOnce(one);
  const options = { file, commit: 'abc1234', tries: 2, together: 2, isOver: () => false };
  expect(await runPoints(points, options)).toBe(1);
  expect(runs.mock.calls.map(([, wanted]) => wanted)).toEqual([
    points,
    [first, third],
    [first, third],
    [third],
    [third],
  ]);
  expect(labs).toHaveBeenCalledTimes(2);
  const results = readResults(file);
  expect(points.map((point) => outcomeOf(results, point))).toEqual(['passed', 'failed', 'missed']);
});
