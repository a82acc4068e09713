import { element, line, page, type Point, text, theme } from '../flow-control/svg';
import { group } from '../report';
import { ticksUpTo } from '../suite/axis';
import { describeShards, speeds } from './report';
import type { LongResult, LongSample } from './results';

const width = 860;
const panelHeight = 130;
const gapHeight = 46;
const left = 80;
const right = 30;
const top = 70;
const style = `${theme}path{fill:none;stroke:var(--value);stroke-width:1.8;stroke-linejoin:round}.lost{stroke:var(--bad);stroke-dasharray:4 3}`;

interface Panel {
  readonly title: string;
  readonly points: readonly Point[];
}

const toMegabytes = (bytes: number): number => bytes / 2 ** 20;

function listPanels({ samples }: LongResult): readonly Panel[] {
  const panel = (title: string, read: (sample: LongSample) => number | undefined): Panel => ({
    title,
    points: samples.flatMap((sample) => {
      const value = read(sample);
      return value === undefined ? [] : [[sample.seconds, value] as const];
    }),
  });
  return [
    {
      title: 'Documents copied a second',
      points: speeds(samples).map(({ seconds, docsPerSecond }) => [seconds, docsPerSecond] as const),
    },
    panel('Operations left to replay', ({ gap }) => gap),
    panel("The worker's memory, MB", ({ workerBytes }) =>
      workerBytes === undefined ? undefined : toMegabytes(workerBytes),
    ),
    panel('Disk of the source that snapshots or merges hold, MB', ({ pinnedBytes }) =>
      toMegabytes(pinnedBytes),
    ),
  ];
}

/** What might have grown over the time of one long migration, one panel below the other. */
export function drawLong(result: LongResult): string {
  const panels = listPanels(result);
  const xTicks = ticksUpTo(Math.max(0, ...result.samples.map(({ seconds }) => seconds)));
  const toX = (seconds: number): number => left + (seconds / (xTicks.at(-1) ?? 1)) * (width - left - right);
  const height = top + panels.length * (panelHeight + gapHeight) + 10;
  const bottom = height - gapHeight;
  const subtitle =
    `${group(result.documents)} documents, ${describeShards(result)}, ` +
    `${result.rate} operations/s offered${result.lostAtSeconds === undefined ? '' : '; the dashed line: all snapshots are closed'}`;
  return page({ width, height, style, title: 'One long migration', subtitle }, [
    ...panels.flatMap((panel, at) => drawPanel(panel, top + at * (panelHeight + gapHeight), toX)),
    ...xTicks.map((value) =>
      text(toX(value), bottom + 18, `${group(value)} s`, { class: 'faint', 'text-anchor': 'middle' }),
    ),
    ...(result.lostAtSeconds === undefined
      ? []
      : [
          line(
            [
              [toX(result.lostAtSeconds), top],
              [toX(result.lostAtSeconds), bottom],
            ],
            { class: 'lost' },
          ),
        ]),
  ]);
}

function drawPanel({ title, points }: Panel, y: number, toX: (seconds: number) => number): readonly string[] {
  const ticks = ticksUpTo(Math.max(0, ...points.map(([, value]) => value)));
  const toY = (value: number): number => y + 16 + panelHeight * (1 - value / (ticks.at(-1) ?? 1));
  return [
    text(16, y + 4, title, { class: 'head' }),
    ...ticks.flatMap((value) => [
      element('line', { class: 'grid', x1: left, x2: width - right, y1: toY(value), y2: toY(value) }),
      text(left - 8, toY(value) + 4, group(value), { class: 'faint', 'text-anchor': 'end' }),
    ]),
    ...(points.length === 0
      ? []
      : [
          line(
            points.map(([x, value]) => [toX(x), toY(value)]),
            {},
          ),
        ]),
  ];
}
