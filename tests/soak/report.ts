import { describeFigure, leastSamples } from '@aosc/testkit';
import { table } from '../support/campaign';
import { countEach } from '../support/result-lines';
import {
  describeMedians,
  describeSlope,
  describeVerdict,
  judgeLines,
  soakedMs,
  type SoakLine,
} from './results';

/** For docs/reliability/soak.md. */
export function renderReport(soaks: readonly (readonly SoakLine[])[]): string {
  const least = `With fewer than ${leastSamples} migrations, or when it has not lasted as long as asked for, a soak is too short to say.`;
  return [least, '', ...soaks.flatMap(renderSoak)].join('\n');
}

function renderSoak(lines: readonly SoakLine[]): readonly string[] {
  const [begin] = lines;
  const end = lines.at(-1);
  if (begin === undefined || end === undefined) return [];
  const verdict = judgeLines(lines);
  const { trends, problems } = verdict;
  const minutes = (soakedMs(lines) / 60_000).toFixed(1);
  const withFault = lines.filter(({ fault }) => fault !== 'none').length;
  const shaken = lines.flatMap((line) => line.shaken ?? []);
  const disturbances = [...lines.map(({ fault }) => fault), ...shaken].filter(isRestartOrFreeze).length;
  const operations = lines.reduce((sum, line) => sum + line.operations, 0).toLocaleString('en-US');
  return [
    `## ${begin.soak}, seed ${begin.firstSeed}`,
    '',
    `${minutes} minutes (asked for: ${begin.minutes}) at ${begin.commit}, ${lines.length} migrations, ${withFault} of them ` +
      `with a fault, ${disturbances} restarts and freezes, ${operations} operations of the writers. Verdict: **${describeVerdict(verdict)}**.`,
    '',
    ...problems.map((problem) => `- ${problem}`),
    '',
    ...(trends.length === 0
      ? []
      : [
          table(
            ['of', 'figure', 'start', 'middle', 'end', 'each migration', 'leak seen from', 'verdict'],
            trends.map((trend) => [
              trend.of,
              trend.figure,
              ...describeMedians(trend),
              describeSlope(trend),
              describeFigure(trend, trend.visibleFrom, 2),
              trend.grows ? '**grows**' : verdict.tooShort === undefined ? 'flat' : '',
            ]),
          ),
          '',
        ]),
    `Faults: ${count(lines.map(({ fault }) => fault))}. Ends: ${count(lines.map((line) => line.end))}.`,
    ...(shaken.length === 0 ? [] : ['', `After the migrations: ${count(shaken)}.`]),
    '',
    `Keys in Redis after the last migration: ${end.keys.length}.`,
    '',
  ];
}

/** By their names, all other disturbances leave servers and processes at work. */
const isRestartOrFreeze = (name: string): boolean => /_(restart|kill|freeze|pause|returns)$/.test(name);

/** How often each comes, as `a 3, b 1`. */
function count(names: readonly string[]): string {
  return Object.entries(countEach(names))
    .map(([name, often]) => `${name} ${often}`)
    .join(', ');
}
