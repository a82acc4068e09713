import { inMegabytes, type Trend } from '@aosc/testkit';
import { table } from '../support/page';
import { judgeLines, type SoakLine } from './results';

/** The page docs/reliability/soak.md. */
export function renderReport(soaks: readonly (readonly SoakLine[])[]): string {
  return [
    '# Back-to-back migrations',
    '',
    'Written by `npm run soak -- --report` from the results of `npm run soak -- --minutes N --seed S`: one migration after',
    'the other with writers, on three OpenSearch nodes, two thirds of them with a random fault that no process dies of',
    '(`tests/soak`). Each is judged as in [chaos](chaos.md), document by document. After each, with the service at rest, every',
    'process tells its memory and its descriptors, and keys in Redis and open points in time are counted.',
    '',
    'After a warm-up of 3 migrations the median of the first third is compared with that of the last. Memory grows when it',
    'is more by 25 % and by 40 MB: V8 keeps pages after a burst, and collects garbage when it thinks that it pays. File',
    'descriptors may be 15 more (connections that are kept for the next request), keys 10 (BullMQ keeps some for each',
    'queue, and has some for a moment), open snapshots none. A process that is not the same from the beginning to the end',
    'spoils a soak, and so does any problem of any migration.',
    '',
    ...soaks.flatMap(renderSoak),
  ].join('\n');
}

function renderSoak(lines: readonly SoakLine[]): readonly string[] {
  const [begin] = lines;
  const end = lines.at(-1);
  if (begin === undefined || end === undefined) return [];
  const { trends, problems } = judgeLines(lines);
  const minutes = (Date.parse(end.at) - Date.parse(begin.soak)) / 60_000;
  const withFault = lines.filter(({ fault }) => fault !== 'none').length;
  const operations = lines.reduce((sum, line) => sum + line.operations, 0).toLocaleString('en-US');
  return [
    `## ${begin.soak}, seed ${begin.firstSeed}`,
    '',
    `${minutes.toFixed(1)} minutes (asked for: ${begin.minutes}), ${lines.length} migrations, ${withFault} of them with a ` +
      `fault, ${operations} operations of the writers. **${problems.length === 0 ? 'Flat.' : 'Not as it must be:'}**`,
    '',
    ...problems.map((problem) => `- ${problem}`),
    '',
    table(
      ['of', 'figure', 'median of the first third', 'of the last', 'verdict'],
      trends.map((trend) => [
        trend.of,
        trend.figure,
        ...describeMedians(trend),
        trend.grows ? '**grows**' : 'flat',
      ]),
    ),
    '',
    `Faults: ${count(lines.map(({ fault }) => fault))}. Ends: ${count(lines.map((line) => line.end))}.`,
    '',
    `Keys in Redis after the last migration: ${end.keys.map((key) => `\`${key}\``).join(', ')}.`,
    '',
  ];
}

/** @returns those of the first and of the last third */
export function describeMedians({ first, last, isBytes }: Trend): readonly string[] {
  return [first, last].map((value) => (isBytes ? inMegabytes(value) : String(value)));
}

/** How often each comes, as `a 3, b 1`. */
function count(names: readonly string[]): string {
  return [...new Set(names)]
    .sort()
    .map((name) => `${name} ${names.filter((each) => each === name).length}`)
    .join(', ');
}
