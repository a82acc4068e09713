import { readCommit } from '@aosc/testkit';
import { listenForTheEnd, resultFlags, runTool, say } from '../support/long-test';
import { countEach } from '../support/result-lines';
import { given, text, texts, UsageError, type Values, whole } from '../support/tool-flags';
import { startLab } from './lab';
import { describePoint, type Point } from './place';
import { addPlaces, listPoints } from './points';
import { recordPlaces } from './record-places';
import { renderReport } from './report';
import { outcomeOf, readResults } from './results';
import { runPoints } from './run-points';
import { scenarios } from './scenarios';

const flags = {
  list: given('names the points with their outcomes, and runs nothing'),
  only: texts(
    'PATTERN',
    "points whose name fits: * stands for anything, e.g. '*scheduler/*aliases*'; may be given again",
  ),
  but: texts('PATTERN', 'not those; may be given again'),
  from: text('PATTERN', 'begins with the first point whose name fits', '*'),
  again: given('also those that have passed'),
  tries: whole('how often a point is tried that the migration does not come to', 1, 3),
  together: whole('up to so many deaths in one migration, at whichever points it comes to', 1, 1),
  minutes: whole('begins no further migration after so many minutes', 1, 10_000),
  record: whole(
    'instead: records each scenario N times, and adds new places to tests/crash-points/places.json',
    1,
  ),
  ...resultFlags('crash-points', 'run'),
};

function fitsOne(patterns: readonly string[]): (point: Point) => boolean {
  const tests = patterns.map(fits);
  return (point) => tests.some((test) => test(point));
}

const orAll = (patterns: readonly string[]): readonly string[] => (patterns.length === 0 ? ['*'] : patterns);

function fits(pattern: string): (point: Point) => boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  const expression = new RegExp(`^${parts.join('.*')}$`);
  return (point) => expression.test(describePoint(point));
}

function choosePoints({ only, but, from, again, results: file }: Values<typeof flags>): readonly Point[] {
  const results = readResults(file);
  const all = listPoints();
  const first = all.findIndex(fits(from));
  const [isWanted, isUnwanted] = [fitsOne(orAll(only)), fitsOne(but)];
  if (first < 0) throw new UsageError(`--from ${from}: there is no such point`);
  return all
    .slice(first)
    .filter((point) => isWanted(point) && !isUnwanted(point))
    .filter((point) => again || outcomeOf(results, point) !== 'passed');
}

async function record(times: number, only: readonly string[]) {
  const lab = await startLab();
  try {
    for (const scenario of scenarios) {
      if (scenario.whileDead !== undefined) continue;
      if (!fitsOne(orAll(only))({ scenario: scenario.name, place: '', moment: 'before' })) continue;
      for (let time = 0; time < times; time += 1) {
        const { places, problems } = await recordPlaces(lab, scenario);
        const added = addPlaces(scenario.name, places);
        say(`${scenario.name}: ${places.length} places, ${added.length} of them new`);
        for (const problem of problems) say(`  ${problem}`);
      }
    }
  } finally {
    await lab.stop();
  }
  return { isWrong: false };
}

async function run(values: Values<typeof flags>) {
  const { list, record: times, results: file, tries, together } = values;
  if (times !== undefined) return record(times, values.only);
  const points = choosePoints(values);
  const isOf = (): ((point: Point) => string) => {
    const results = readResults(file);
    return (point) => outcomeOf(results, point);
  };
  if (list) {
    const outcome = isOf();
    for (const point of points) say(`${outcome(point).padEnd(8)} ${describePoint(point)}`);
    return { isWrong: false };
  }
  const deadline = performance.now() + values.minutes * 60_000;
  const interrupted = listenForTheEnd();
  const isOver = (): boolean => interrupted.aborted || performance.now() > deadline;
  const failed = await runPoints(points, { file, commit: readCommit(), tries, together, isOver });
  return { isWrong: failed > 0, figures: { points: points.length, ...countEach(points.map(isOf())) } };
}

runTool({
  name: 'crash-points',
  about:
    'Runs the points that have not passed yet, and adds each result to a file, so that it can be gone on with later.',
  flags,
  report: (results) => renderReport(readResults(results)),
  run,
});
