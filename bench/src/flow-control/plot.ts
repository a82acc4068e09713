import { type Disturbance, optimumOf, type Outcome } from './scenarios';
import { type Bulk, goodput } from './simulate';
import { element, line, page, type Point, steps, text, theme } from './svg';

const MB = 2 ** 20;
const second = 1000;
const panel = { width: 300, height: 110, left: 64, top: 100, gapX: 28, gapY: 34 } as const;
const bottom = 64;
const throughputBins = 120;

/** One row of panels: what is drawn, and up to where its axis goes. */
interface Row {
  readonly label: string;
  readonly unit: string;
  readonly scale: 'linear' | 'logarithmic';
  readonly ofOutcome: (outcome: Outcome) => Drawing;
}

interface Drawing {
  /** drawn one over the other; times in ms */
  readonly lines: readonly {
    readonly kind: 'steps' | 'line';
    readonly className: string;
    readonly points: readonly Point[];
  }[];
}

/** Of several shards the first is shown: it stands for the others. */
const shown = ({ scenario, bulks }: Outcome): readonly Bulk[] =>
  bulks.filter(({ shard, endedAt }) => shard === 0 && endedAt <= scenario.durationMs);

const rows: readonly Row[] = [
  {
    label: 'byte target',
    unit: 'MB',
    scale: 'logarithmic',
    ofOutcome: (outcome) => ({
      lines: [
        {
          kind: 'steps',
          className: 'value',
          points: shown(outcome).map(({ endedAt, targetBytes }) => [endedAt, targetBytes / MB]),
        },
        {
          kind: 'steps',
          className: 'other',
          points: shown(outcome).map(({ sentAt, bytes }) => [sentAt, bytes / MB]),
        },
      ],
    }),
  },
  {
    label: 'in flight',
    unit: 'bulks',
    scale: 'linear',
    ofOutcome: (outcome) => ({
      lines: [
        {
          kind: 'steps',
          className: 'value',
          points: shown(outcome).map(({ endedAt, concurrency }) => [endedAt, concurrency]),
        },
      ],
    }),
  },
  {
    label: 'throughput',
    unit: 'MB/s',
    scale: 'linear',
    ofOutcome: (outcome) => {
      const width = outcome.scenario.durationMs / throughputBins;
      const bins = Array.from({ length: throughputBins }, (_, i) => i * width);
      return {
        lines: [
          {
            kind: 'steps',
            className: 'best',
            points: bins.map((from) => [from, optimumOf(outcome, from + width / 2) / MB]),
          },
          {
            kind: 'line',
            className: 'value',
            points: bins.map((from) => [from + width / 2, goodput(outcome.bulks, from, from + width) / MB]),
          },
        ],
      };
    },
  },
];

const style = `${theme}
path{fill:none;stroke-width:1.6;stroke-linejoin:round}
.value{stroke:var(--value)}.other{stroke:var(--other);stroke-width:1}.best{stroke:var(--best);stroke-dasharray:5 3;stroke-width:1.2}
.refusal{stroke:var(--bad);stroke-width:1}.pause{fill:var(--bad);opacity:.13}.band{fill:var(--band);opacity:.11}.bandline{stroke:var(--band);stroke-dasharray:2 3}
`
  .trim()
  .replace(/\n/g, '');

/** One scenario under several controllers: a column for each, the same axes for all, so that they can be compared. */
export function plot(outcomes: readonly Outcome[]): string {
  const [first] = outcomes;
  if (first === undefined) throw new Error('there is nothing to plot');
  const { scenario } = first;
  const width = panel.left + outcomes.length * (panel.width + panel.gapX);
  const height = panel.top + rows.length * (panel.height + panel.gapY) + bottom - panel.gapY;
  const drawings = rows.map((row) => outcomes.map((outcome) => row.ofOutcome(outcome)));
  const parts = outcomes.map(({ type }, column) =>
    text(leftOf(column), panel.top - 26, type, { class: 'head' }),
  );
  rows.forEach((row, rowIndex) => {
    const ofRow = drawings[rowIndex] ?? [];
    const top = panel.top + rowIndex * (panel.height + panel.gapY);
    const axis = row.scale === 'linear' ? linearAxis(ofRow) : logarithmicAxis;
    parts.push(text(16, top - 8, `${row.label}, ${row.unit}`, { class: 'faint' }));
    outcomes.forEach((outcome, column) => {
      const drawing = ofRow[column];
      if (drawing !== undefined)
        parts.push(drawPanel(outcome, drawing, leftOf(column), top, axis, column === 0));
    });
  });
  parts.push(
    ...outcomes.map((_, column) => drawTimeAxis(scenario.durationMs, leftOf(column), height - bottom)),
  );
  parts.push(legend(height - 14, (scenario.shards ?? 1) > 1));
  return page({ width, height, style, title: scenario.title, subtitle: describe(first) }, parts);
}

const leftOf = (column: number): number => panel.left + column * (panel.width + panel.gapX);

function describe({ scenario }: Outcome): string {
  const { threads, bytesPerSecond, overheadMs } = scenario.conditions(0);
  return (
    `Modelled: ${threads} threads that write ${bytesPerSecond / MB} MB/s together, ${overheadMs} ms for the smallest bulk. ` +
    'Settings: the high-throughput profile, with each type of controller.'
  );
}

interface Axis {
  readonly ticks: readonly number[];
  /** part of the panel's height at which a value lies */
  readonly heightOf: (value: number) => number;
}

/** From 0.1 to 300: bulks of 10 and of 100 MB are as different as those of 1 and of 10. */
const logarithmicAxis: Axis = {
  ticks: [0.1, 1, 10, 100],
  heightOf: (value) => (Math.log10(Math.max(value, 0.1)) + 1) / 3.5,
};

/** Up to a round number above all that is drawn, with two to five ticks. */
function linearAxis(drawings: readonly Drawing[]): Axis {
  const drawn = drawings.flatMap(({ lines }) => lines.flatMap(({ points }) => points.map(([, y]) => y)));
  const max = Math.max(1, ...drawn);
  let tick = 1;
  for (const factor of [2, 2.5, 2, 2, 2.5, 2, 2, 2.5, 2]) {
    if (max / tick <= 4) break;
    tick *= factor;
  }
  const count = Math.ceil(max / tick);
  return {
    ticks: Array.from({ length: count + 1 }, (_, i) => i * tick),
    heightOf: (value) => value / (count * tick),
  };
}

function drawPanel(
  { scenario, ...outcome }: Outcome,
  drawing: Drawing,
  left: number,
  top: number,
  { ticks, heightOf }: Axis,
  hasLabels: boolean,
): string {
  const toX = (ms: number): number =>
    left + (Math.min(ms, scenario.durationMs) / scenario.durationMs) * panel.width;
  const toY = (value: number): number => top + panel.height - heightOf(value) * panel.height;
  const parts: string[] = scenario.disturbances.map((disturbance) => drawBand(disturbance, toX, top));
  for (const value of ticks) {
    parts.push(
      element('line', { class: 'grid', x1: left, x2: left + panel.width, y1: toY(value), y2: toY(value) }),
    );
    if (hasLabels)
      parts.push(text(left - 8, toY(value) + 4, String(value), { class: 'faint', 'text-anchor': 'end' }));
  }
  const bulks = shown({ scenario, ...outcome });
  for (const [from, to] of pausesOf(bulks)) {
    parts.push(
      element('rect', {
        class: 'pause',
        x: toX(from),
        y: top,
        width: toX(to) - toX(from),
        height: panel.height,
      }),
    );
  }
  for (const { kind, className, points } of drawing.lines) {
    const drawn = points.map(([ms, value]): Point => [toX(ms), toY(value)]);
    parts.push(
      kind === 'line'
        ? line(drawn, { class: className })
        : steps(drawn, left + panel.width, { class: className }),
    );
  }
  const refusals = new Set(
    bulks.filter(({ refused }) => refused).map(({ endedAt }) => Math.round(toX(endedAt))),
  );
  for (const x of refusals) {
    parts.push(element('line', { class: 'refusal', x1: x, x2: x, y1: top, y2: top + 8 }));
  }
  parts.push(element('rect', { class: 'frame', x: left, y: top, width: panel.width, height: panel.height }));
  return parts.join('\n');
}

function drawBand({ fromMs, toMs, label }: Disturbance, toX: (ms: number) => number, top: number): string {
  const [from, to] = [toX(fromMs), toX(toMs)];
  return [
    element('rect', { class: 'band', x: from, y: top, width: to - from, height: panel.height }),
    text(from + 3, top + panel.height - 5, label, { class: 'faint' }),
  ].join('\n');
}

/** Stretches in which the shard sent nothing, one after the other. */
function pausesOf(bulks: readonly Bulk[]): readonly (readonly [from: number, to: number])[] {
  const pauses: [number, number][] = [];
  for (const { endedAt, pauseMs } of bulks) {
    if (pauseMs === 0) continue;
    const last = pauses.at(-1);
    if (last !== undefined && endedAt <= last[1]) last[1] = Math.max(last[1], endedAt + pauseMs);
    else pauses.push([endedAt, endedAt + pauseMs]);
  }
  return pauses;
}

function drawTimeAxis(durationMs: number, left: number, y: number): string {
  const ticks = 6;
  return Array.from({ length: ticks + 1 }, (_, i) => {
    const seconds = (durationMs / second / ticks) * i;
    return text(left + (panel.width / ticks) * i, y + 16, i === ticks ? `${seconds} s` : String(seconds), {
      class: 'faint',
      'text-anchor': 'middle',
    });
  }).join('\n');
}

function legend(y: number, isOneOfSeveral: boolean): string {
  const entries: readonly (readonly [symbol: string, label: string])[] = [
    ['value', isOneOfSeveral ? 'this value (throughput of all shards, the rest of the first)' : 'this value'],
    ['other', 'bytes of a bulk'],
    ['best', 'best possible with these settings'],
    ['refusal', 'refused'],
    ['pause', 'pause'],
  ];
  let x = panel.left;
  return entries
    .map(([symbol, label]) => {
      const at = x;
      x += 42 + label.length * 6.3;
      const mark =
        symbol === 'pause'
          ? element('rect', { class: 'pause', x: at, y: y - 10, width: 20, height: 12 })
          : symbol === 'refusal'
            ? element('line', { class: 'refusal', x1: at + 10, x2: at + 10, y1: y - 9, y2: y - 1 })
            : line(
                [
                  [at, y - 4],
                  [at + 20, y - 4],
                ],
                { class: symbol },
              );
      return `${mark}\n${text(at + 26, y, label, { class: 'faint' })}`;
    })
    .join('\n');
}
