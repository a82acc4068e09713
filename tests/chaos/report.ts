import { createParser } from '@aosc/contract';
import { Type, type Static } from '@sinclair/typebox';
import { table } from '../support/campaign';
import { readLines } from '../support/result-lines';
import { writeBlockMaxMs } from './arena';
import { strikePhases } from './fault';
import { faults } from './faults';
import { overdue } from './evaluate';
import { countAnswered } from './late-answers';
import { settleBoundMs } from './run';

const LineSchema = Type.Object(
  {
    seed: Type.Integer(),
    fault: Type.String(),
    phase: Type.String(),
    plan: Type.String(),
    end: Type.String(),
    reason: Type.Optional(Type.String()),
    problems: Type.Array(Type.String()),
    settledMs: Type.Integer(),
    longestBlockMs: Type.Integer(),
    operations: Type.Integer(),
    /** older lines have none */
    moves: Type.Optional(Type.Integer()),
    late: Type.Optional(
      Type.Object({
        held: Type.Integer(),
        answered: Type.Record(Type.String(), Type.Integer()),
        refused: Type.Integer(),
      }),
    ),
    commit: Type.String(),
    at: Type.String(),
  },
  { additionalProperties: true },
);
type Line = Static<typeof LineSchema>;
const parseLine = createParser('line of the results', LineSchema);

/** The runs of a results file, in its order. */
export const readResults = (file: string): readonly Line[] => readLines(file, parseLine);

const demands = {
  exact: 'COMPLETED',
  exact_or_safe: 'COMPLETED or FAILED',
  safe: 'FAILED',
} as const;

/** What was wrong and has been run again since, by the same seed: the last run counts. */
function splitResults(all: readonly Line[]): { lines: readonly Line[]; earlier: readonly Line[] } {
  const planOf = ({ seed, plan }: Line): string => `${seed} ${plan}`;
  const last = new Map(all.map((line) => [planOf(line), line]));
  const lines = all.filter((line) => last.get(planOf(line)) === line);
  return { lines, earlier: all.filter((line) => isWrong(line) && !lines.includes(line)) };
}

/** For docs/reliability/chaos.md. */
export function renderReport(all: readonly Line[]): string {
  const { lines, earlier } = splitResults(all);
  const of = (fault: string): readonly Line[] => lines.filter((line) => line.fault === fault);
  const phases = [...strikePhases, 'too late', 'not struck'] as const;
  const cellOf = (fault: string, phase: string): string => {
    const runs = of(fault).filter((line) => columnOf(line) === phase);
    const wrong = runs.filter(isWrong).length;
    if (runs.length === 0) return '';
    return wrong === 0 ? String(runs.length) : `${runs.length} (${wrong} wrong)`;
  };
  const wrong = lines.filter(isWrong);
  const longest = (some: readonly Line[], figure: (line: Line) => number): string =>
    some.length === 0 ? '' : (Math.max(...some.map(figure)) / 1000).toFixed(1);
  const ends = (some: readonly Line[], end: string): string =>
    String(some.filter((line) => endOf(line) === end).length || '');
  const struck = lines.filter((line) => strikePhases.some((phase) => phase === columnOf(line)));
  const days = [...new Set(lines.map(({ at }) => at.slice(0, 10)))];
  return [
    `- ${lines.length} runs, in ${struck.length} of which the fault struck a migration under way: ` +
      `${lines.length - wrong.length} as they must be, ${wrong.length} wrong.`,
    `- The writers sent ${sum(lines, ({ operations }) => operations)} operations.`,
    `- Longest write block: ${longest(lines, (line) => line.longestBlockMs)} s, seen by a probe that writes all the time. Its bound ` +
      `is the sum of`,
    `  ${writeBlockMaxMs / 1000} s in these runs, 5 s for a busy machine, and the time in which OpenSearch could not be reached.`,
    `- Longest time from the end of a fault to the end of its migration: ${longest(lines, (line) => line.settledMs)} s (bound: ` +
      `${settleBoundMs / 1000} s).`,
    `- Run on ${days.join(', ')}. [The index of runs](campaigns.jsonl) has a line for each time the tool was kept.`,
    '',
    `In ${lines.filter(({ moves = 0 }) => moves > 0).length} runs the writers moved documents between shards: ` +
      `${sum(lines, ({ moves = 0 }) => moves)} times a document was deleted and then made again under another routing.`,
    '',
    '## Where the faults came',
    '',
    table(
      ['fault', ...phases.map((phase) => phase.replaceAll('_', ' '))],
      faults.map(({ name }) => [name, ...phases.map((phase) => cellOf(name, phase))]),
    ),
    '',
    '## What each fault does',
    '',
    ...faults.map(({ name, what }) => `- \`${name}\`: ${what}`),
    '',
    '## How the migrations ended',
    '',
    table(
      [
        'fault',
        'must end',
        'COMPLETED',
        'FAILED',
        'FAILED: block too long',
        'CANCELLED',
        'longest block (s)',
        'to the end (s)',
      ],
      faults.map(({ name, demand, destroys }) => [
        name,
        destroys === 'records' ? 'undone by hand' : demands[demand],
        ...['COMPLETED', 'FAILED', 'OVERDUE', 'CANCELLED'].map((end) => ends(of(name), end)),
        longest(of(name), (line) => line.longestBlockMs),
        longest(of(name), (line) => line.settledMs),
      ]),
    ),
    '',
    ...describeReturns(lines),
    ...listWrong('Wrong', wrong),
    ...listWrong('Wrong once, and right when the same seed ran again', earlier),
  ].join('\n');
}

const sum = (some: readonly Line[], figure: (line: Line) => number): string =>
  some.reduce((total, line) => total + figure(line), 0).toLocaleString('en-US');

/** What the nodes that came back have answered. */
function describeReturns(lines: readonly Line[]): readonly string[] {
  const runs = lines.filter(({ late }) => late !== undefined);
  if (runs.length === 0) return [];
  const names = [...new Set(runs.map(({ fault }) => fault))];
  const calls = new Map<string, number>();
  for (const { late } of runs) {
    for (const [call, count] of Object.entries(late?.answered ?? {}))
      calls.set(call, (calls.get(call) ?? 0) + count);
  }
  const mostFirst = [...calls].sort(([, one], [, other]) => other - one);
  const answered = ({ late }: Line): number => (late === undefined ? 0 : countAnswered(late));
  return [
    '## Nodes that came back',
    '',
    table(
      ['fault', 'runs', 'with such answers', 'held', 'answered by the old state', 'refused'],
      names.map((name) => {
        const own = runs.filter(({ fault }) => fault === name);
        const struck = own.filter((line) => answered(line) > 0).length;
        return [
          name,
          String(own.length),
          String(struck),
          sum(own, ({ late }) => late?.held ?? 0),
          sum(own, answered),
          sum(own, ({ late }) => late?.refused ?? 0),
        ];
      }),
    ),
    '',
    `Such answers by request: ${mostFirst.map(([call, count]) => `\`${call}\` ${count}`).join(', ')}.`,
    '',
  ];
}

function listWrong(title: string, lines: readonly Line[]): readonly string[] {
  if (lines.length === 0) return [];
  const describe = ({ seed, fault, phase, commit, problems }: Line): string =>
    `- seed ${seed}, ${fault} in ${phase}, at ${commit}: ${problems.join('; ')}`;
  return [`## ${title}`, '', ...lines.map(describe), ''];
}

const isWrong = ({ problems }: Line): boolean => problems.length > 0;
/** Of the table of phases. */
function columnOf({ phase }: Line): string {
  if (phase === 'NOT STRUCK') return 'not struck';
  return ['COMPLETED', 'FAILED', 'CANCELLED', 'TOO LATE'].includes(phase) ? 'too late' : phase;
}

function endOf({ end, reason = '' }: Line): string {
  return end === 'FAILED' && overdue.test(reason) ? 'OVERDUE' : end;
}
