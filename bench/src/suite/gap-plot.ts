import { element, line, page, type Point, text, theme } from '../flow-control/svg';
import { group } from '../report';
import { ticksUpTo } from './axis';
import type { SustainedRun } from './results';

const width = 860;
const height = 420;
const left = 80;
const right = 210;
const top = 70;
const bottom = 50;
const colours = ['--value', '--best', '--other', '--band', '--bad'] as const;
const lineStyle = 'path{fill:none;stroke-width:1.8;stroke-linejoin:round}';
const style = `${theme}${lineStyle}${colours.map((name, at) => `.line${at}{stroke:var(${name})}`).join('')}`;

/** The gap of each migration over its time, one line for each share of the maximum that writers used. */
export function drawGaps(runs: readonly SustainedRun[]): string {
  const xTicks = ticksUpTo(Math.max(0, ...runs.map(({ seconds }) => seconds)));
  const yTicks = ticksUpTo(
    Math.max(0, ...runs.flatMap(({ gap }) => gap.map(({ operations }) => operations))),
  );
  const toX = (seconds: number): number => left + (seconds / (xTicks.at(-1) ?? 1)) * (width - left - right);
  const toY = (value: number): number =>
    height - bottom - (value / (yTicks.at(-1) ?? 1)) * (height - top - bottom);
  const title = 'Operations left to replay, while applications write';
  const subtitle =
    'One line for each share of what the cluster can write without a migration; a dot is the end.';
  return page({ width, height, style, title, subtitle }, [
    ...yTicks.flatMap((value) => [
      element('line', { class: 'grid', x1: left, x2: width - right, y1: toY(value), y2: toY(value) }),
      text(left - 8, toY(value) + 4, group(value), { class: 'faint', 'text-anchor': 'end' }),
    ]),
    ...xTicks.map((value) =>
      text(toX(value), height - bottom + 18, `${value} s`, { class: 'faint', 'text-anchor': 'middle' }),
    ),
    ...runs.flatMap((run, at) => drawRun(run, at, toX, toY)),
  ]);
}

function drawRun(
  run: SustainedRun,
  at: number,
  toX: (seconds: number) => number,
  toY: (value: number) => number,
): readonly string[] {
  const className = `line${at % colours.length}`;
  const points = run.gap.map(({ seconds, operations }): Point => [toX(seconds), toY(operations)]);
  const last = points.at(-1);
  const y = top + 14 + at * 22;
  const legend = width - right + 16;
  return [
    ...(points.length > 0 ? [line(points, { class: className })] : []),
    ...(last === undefined
      ? []
      : [
          element('circle', {
            cx: last[0],
            cy: last[1],
            r: 3.5,
            fill: `var(${colours[at % colours.length] ?? '--ink'})`,
          }),
        ]),
    line(
      [
        [legend, y - 4],
        [legend + 20, y - 4],
      ],
      { class: className },
    ),
    text(legend + 26, y, `${Math.round(run.share * 100)} %: ${run.completed ? 'ended' : run.phase}`, {}),
  ];
}
