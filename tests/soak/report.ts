import { describeFigure, leastSamples } from '@aosc/testkit';
import { table } from '../support/page';
import {
  describeMedians,
  describeSlope,
  describeVerdict,
  judgeLines,
  soakedMs,
  type SoakLine,
} from './results';

/** The page docs/reliability/soak.md. */
export function renderReport(soaks: readonly (readonly SoakLine[])[]): string {
  return [
    '# Back-to-back migrations',
    '',
    'This page answers: does what a process of the service holds add up when it runs one migration after the other, while servers',
    'and proxies are restarted, frozen and slowed?',
    '',
    '`npm run soak -- --report` writes it from the results of `npm run soak -- --minutes N --seed S` (`tests/soak`). Writers are at',
    'work on three OpenSearch nodes. Two thirds of the migrations have a random fault of [chaos](chaos.md) that ends no process of the',
    'service, and the tool judges each as chaos does, document by document. After each the tool restarts, freezes or slows nodes,',
    'proxies, Redis and processes of the service three times more, while twenty clients ask the API. Then, with the service at rest,',
    'it takes what every process holds, keys and clients of Redis, and open points in time.',
    '',
    'After a warm-up of 3 migrations the tool lays a line through each figure: the median slope of all pairs of samples',
    '(`packages/testkit/src/soak`). A figure grows when all of this holds:',
    '',
    '- It grows with each migration by at least 0.5 MB of heap, 1.5 MB of resident memory, or 0.1 of anything that is counted.',
    '- That is more in all than what goes up and down anyway (32 MB, 40 connections to OpenSearch, or 6 of what else is counted).',
    '  Descriptors and sockets are counted without those connections: idle ones stay for half a minute.',
    '- The last third still goes up. What a process takes once is no growth.',
    '',
    'The least leak that a soak would have shown stands beside each figure. No migration may leave a snapshot open. A process that',
    `is not the same from the beginning to the end spoils a soak, and so does any problem of any migration. With fewer than ${leastSamples}`,
    'migrations, or when it has not lasted as long as asked for, a soak is too short to say.',
    '',
    ...soaks.flatMap(renderSoak),
  ].join('\n');
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
  return [...new Set(names)]
    .sort()
    .map((name) => `${name} ${names.filter((each) => each === name).length}`)
    .join(', ');
}
