import { element, page, text, theme } from '../flow-control/svg';
import { group } from '../report';
import type { Spread } from './results';

export interface Bar {
  readonly label: string;
  readonly value: Spread;
  /** AOSC's are told from the others' */
  readonly isOwn: boolean;
}

/** The bars of one case: as long as their values beside each other, not beside those of other cases. */
export interface BarGroup {
  readonly label: string;
  readonly bars: readonly Bar[];
}

const width = 860;
const left = 190;
const right = 190;
const top = 70;
const lane = 22;
const headHeight = 30;
const thickness = 14;
const style = `${theme}.own{fill:var(--value)}.others{fill:var(--faint);opacity:.55}.spread{stroke:var(--ink)}`;

/**
 * A bar for each contestant of each case, with its median; a thin line goes from the least to the most of all rounds.
 * @param unit of the values, which are shown as whole numbers
 */
export function drawBars(title: string, unit: string, groups: readonly BarGroup[]): string {
  const parts: string[] = [];
  let y = top;
  for (const { label, bars } of groups) {
    parts.push(text(16, y + 12, label, { class: 'head' }));
    y += headHeight;
    const longest = Math.max(...bars.map(({ value }) => value.most), 0) || 1;
    for (const bar of bars) {
      parts.push(...drawBar(bar, unit, y, (value) => (value / longest) * (width - left - right)));
      y += lane;
    }
    y += lane / 2;
  }
  const height = y + 10;
  const subtitle = `Medians, ${unit}; each case has its own scale; the thin line goes from the least to the most.`;
  return page({ width, height, style, title, subtitle }, parts);
}

function drawBar(
  { label, value, isOwn }: Bar,
  unit: string,
  y: number,
  lengthOf: (value: number) => number,
): readonly string[] {
  const middle = y + thickness / 2;
  return [
    text(left - 8, y + 11, label, { 'text-anchor': 'end' }),
    element('rect', {
      class: isOwn ? 'own' : 'others',
      x: left,
      y,
      width: Math.max(1, lengthOf(value.median)),
      height: thickness,
    }),
    ...(value.most > value.least
      ? [
          element('line', {
            class: 'spread',
            x1: left + lengthOf(value.least),
            x2: left + lengthOf(value.most),
            y1: middle,
            y2: middle,
          }),
        ]
      : []),
    text(left + lengthOf(value.most) + 8, y + 11, `${group(value.median)} ${unit}`, { class: 'faint' }),
  ];
}
