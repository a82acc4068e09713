import { element, page, theme } from '../flow-control/svg';
import { group } from '../report';
import type { Frame } from './call-tree';

const width = 1200;
const lane = 17;
const top = 64;
const side = 16;
/** Narrower ones would be lines: what they are part of shows them. */
const leastWidth = 1;
/** What loads modules lies a hundred calls deep. */
const mostDeep = 30;
/** pixels of a letter, about */
const letter = 6;
const hues = ['#d9822b', '#c87619', '#e0993e', '#b86a12'] as const;
const style = `${theme}.call text{font-size:10px;fill:#1f2328}`;

interface Box {
  readonly frame: Frame;
  readonly x: number;
  readonly width: number;
  readonly depth: number;
}

/** Calls on top of their callers, as wide as the time that they took; the longest first. */
export function drawFlames(root: Frame, subtitle: string): string {
  const boxes: Box[] = [];
  const place = (frame: Frame, x: number, depth: number): void => {
    const boxWidth = (frame.totalMs / root.totalMs) * (width - 2 * side);
    if (boxWidth < leastWidth || depth > mostDeep) return;
    boxes.push({ frame, x, width: boxWidth, depth });
    let at = x;
    for (const child of frame.children) {
      place(child, at, depth + 1);
      at += (child.totalMs / root.totalMs) * (width - 2 * side);
    }
  };
  if (root.totalMs > 0) place(root, side, 0);
  const deepest = boxes.reduce((most, { depth }) => Math.max(most, depth), 0);
  const height = top + (deepest + 1) * lane + side;
  const title = `${group(Math.round(root.totalMs))} ms of work, by the calls it was done in`;
  return page(
    { width, height, style, title, subtitle },
    boxes.map((box) => drawBox(box, root.totalMs)),
  );
}

function drawBox({ frame, x, width: boxWidth, depth }: Box, allMs: number): string {
  const y = top + depth * lane;
  const { name, place, totalMs } = frame;
  const share = ((100 * totalMs) / allMs).toFixed(1);
  const fits = Math.floor((boxWidth - 4) / letter);
  const shown = fits < 3 ? '' : name.slice(0, fits);
  const label = `${name} ${place} ${group(Math.round(totalMs))} ms, ${share} %`;
  return element(
    'g',
    { class: 'call' },
    [
      element('title', {}, escape(label)),
      element('rect', {
        x,
        y,
        width: Math.max(0.5, boxWidth - 0.5),
        height: lane - 1,
        fill: hues[depth % hues.length] ?? hues[0],
      }),
      ...(shown === '' ? [] : [element('text', { x: x + 2, y: y + lane - 5 }, escape(shown))]),
    ].join(''),
  );
}

const escape = (content: string): string =>
  content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
