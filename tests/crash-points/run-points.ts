import { say } from '../support/long-test';
import { startLab } from './lab';
import { describePoint, type Point } from './place';
import { appendResult } from './results';
import { runDeaths } from './run-point';
import { scenarios } from './scenarios';

export interface RunOptions {
  /** each result is added to it */
  readonly file: string;
  /** of the code that runs */
  readonly commit: string;
  /** how often in a row migrations may come to none of the points that are left */
  readonly tries: number;
  /** deaths in one migration, at most */
  readonly together: number;
  /** asked before each migration */
  readonly isOver: () => boolean;
}

/** @returns how many migrations were not as they must be */
export async function runPoints(points: readonly Point[], options: RunOptions): Promise<number> {
  const { file, commit, tries, together, isOver } = options;
  let failed = 0;
  let lab = await startLab();
  try {
    for (const group of divide(points, together)) {
      let left = group;
      for (let missed = 0; left.length > 0 && missed < tries;) {
        if (isOver()) return failed;
        const { met, outcome, problems, elapsedMs } = await runDeaths(lab, left, together);
        const result = { outcome, problems: [...problems], elapsedMs, commit, at: new Date().toISOString() };
        for (const point of met.length > 0 ? met : left) {
          appendResult(file, { ...point, ...result });
          say(`${describePoint(point)}: ${outcome}`);
        }
        say(`  ${left.length - met.length} left; ${(elapsedMs / 1000).toFixed(1)} s`);
        for (const problem of problems) say(`  ${problem}`);
        missed = met.length > 0 ? 0 : missed + 1;
        left = left.filter((point) => !met.includes(point));
        if (problems.length === 0) continue;
        failed += 1;
        // What has gone wrong may go on; the next migration begins with servers of its own.
        await lab.stop();
        lab = await startLab();
      }
    }
  } finally {
    await lab.stop();
  }
  return failed;
}

/** Points that may be met in one migration. */
function divide(points: readonly Point[], together: number): readonly (readonly Point[])[] {
  if (together === 1) return points.map((point) => [point]);
  return scenarios
    .map(({ name }) => points.filter(({ scenario }) => scenario === name))
    .filter((group) => group.length > 0);
}
