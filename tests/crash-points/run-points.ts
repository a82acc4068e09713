import { runSeries } from '../support/series';
import { type Lab, startLab } from './lab';
import { describePoint, type Point } from './place';
import { type Deaths, runDeaths } from './run-point';
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
  let left: readonly Point[] = [];
  let missed = 0;
  function* plans(): Generator<readonly Point[]> {
    for (const group of divide(points, together)) {
      left = group;
      missed = 0;
      while (left.length > 0 && missed < tries) yield left;
    }
  }
  const done = await runSeries<readonly Point[], Lab, Deaths>({
    plans: plans(),
    start: startLab,
    run: async (lab, wanted) => {
      const deaths = await runDeaths(lab, wanted, together);
      missed = deaths.met.length > 0 ? 0 : missed + 1;
      left = wanted.filter((point) => !deaths.met.includes(point));
      return deaths;
    },
    results: file,
    linesOf: ({ met, ...rest }) => {
      const result = { ...rest, commit, at: new Date().toISOString() };
      return (met.length > 0 ? met : left).map((point) => ({ ...point, ...result }));
    },
    describe: ({ met, outcome, elapsedMs }) =>
      [
        ...(met.length > 0 ? met : left).map((point) => `${describePoint(point)}: ${outcome}`),
        `  ${left.length} left; ${(elapsedMs / 1000).toFixed(1)} s`,
      ].join('\n'),
    isOver,
  });
  return done.filter(({ problems }) => problems.length > 0).length;
}

/** Points that may be met in one migration. */
function divide(points: readonly Point[], together: number): readonly (readonly Point[])[] {
  if (together === 1) return points.map((point) => [point]);
  return scenarios
    .map(({ name }) => points.filter(({ scenario }) => scenario === name))
    .filter((group) => group.length > 0);
}
