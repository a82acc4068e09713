import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readCommit } from '@aosc/testkit';
import { startLab } from './lab';
import { describePoint, type Point } from './place';
import { addPlaces, listPoints } from './points';
import { recordPlaces } from './record-places';
import { renderReport } from './report';
import { outcomeOf, readResults } from './results';
import { runPoints } from './run-points';
import { scenarios } from './scenarios';
import {
  exitWrong,
  listenForTheEnd,
  parseFlags,
  parseWhole,
  runTool,
  say,
  UsageError,
} from '../support/long-test';
import { countEach, keepCampaign, keepUsage } from '../support/campaign';
import { writePage } from '../support/page';

const usage = `npm run crash-points -- [options]

Runs the points that have not passed yet, and adds each result to a file, so that it can be gone on with later.

  --list           names the points with their outcomes, and runs nothing
  --only PATTERN   points whose name fits: * stands for anything, e.g. '*scheduler/*aliases*'; may be given again
  --but PATTERN    not those; may be given again
  --from PATTERN   begins with the first point whose name fits
  --again          also those that have passed
  --tries N        how often a point is tried that the migration does not come to (default 3)
  --together N     up to so many deaths in one migration, at whichever points it comes to (default 1)
  --minutes N      begins no further migration after so many minutes
  --record N       instead: records each scenario N times, and adds new places to tests/crash-points/places.json
  --report         instead: writes the results into docs/reliability/crash-points.md
  --results FILE   default .results/crash-points.jsonl
${keepUsage}
  --help           show this`;
const page = join(__dirname, '../../docs/reliability/crash-points.md');

const parse = (args: readonly string[]) =>
  parseFlags(args, {
    list: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: ['*'] },
    but: { type: 'string', multiple: true, default: [] },
    from: { type: 'string', default: '*' },
    again: { type: 'boolean', default: false },
    tries: { type: 'string', default: '3' },
    together: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '10000' },
    record: { type: 'string' },
    report: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    results: { type: 'string', default: '.results/crash-points.jsonl' },
    help: { type: 'boolean', default: false },
  });
type Flags = ReturnType<typeof parse>;

function fitsOne(patterns: readonly string[]): (point: Point) => boolean {
  const tests = patterns.map(fits);
  return (point) => tests.some((test) => test(point));
}

function fits(pattern: string): (point: Point) => boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  const expression = new RegExp(`^${parts.join('.*')}$`);
  return (point) => expression.test(describePoint(point));
}

function choosePoints({ only, but, from, again }: Flags, file: string): readonly Point[] {
  const results = readResults(file);
  const all = listPoints();
  const first = all.findIndex(fits(from));
  const [isWanted, isUnwanted] = [fitsOne(only), fitsOne(but)];
  if (first < 0) throw new UsageError(`--from ${from}: there is no such point`);
  return all
    .slice(first)
    .filter((point) => isWanted(point) && !isUnwanted(point))
    .filter((point) => again || outcomeOf(results, point) !== 'passed');
}

async function record(times: number, only: readonly string[]): Promise<number> {
  const lab = await startLab();
  try {
    for (const scenario of scenarios) {
      if (scenario.whileDead !== undefined) continue;
      if (!fitsOne(only)({ scenario: scenario.name, place: '', moment: 'before' })) continue;
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
  return 0;
}

async function main(args: readonly string[]): Promise<number> {
  const flags = parse(args);
  const file = resolve(flags.results);
  if (flags.help) {
    say(usage);
    return 0;
  }
  if (flags.report) {
    await writePage(page, renderReport(readFileSync(page, 'utf8'), readResults(file)));
    return 0;
  }
  if (flags.record !== undefined) return record(parseWhole('--record', flags.record, 1), flags.only);
  const points = choosePoints(flags, file);
  if (flags.list) {
    const results = readResults(file);
    for (const point of points) say(`${outcomeOf(results, point).padEnd(8)} ${describePoint(point)}`);
    return 0;
  }
  const deadline = performance.now() + parseWhole('--minutes', flags.minutes, 1) * 60_000;
  const interrupted = listenForTheEnd();
  const failed = await runPoints(points, {
    file,
    commit: readCommit(),
    tries: parseWhole('--tries', flags.tries, 1),
    together: parseWhole('--together', flags.together, 1),
    isOver: () => interrupted.aborted || performance.now() > deadline,
  });
  if (flags.keep) {
    const results = readResults(file);
    const outcomes = countEach(points.map((point) => outcomeOf(results, point)));
    keepCampaign('crash-points', readCommit(), { points: points.length, ...outcomes });
  }
  return failed > 0 ? exitWrong : 0;
}

runTool(usage, main);
