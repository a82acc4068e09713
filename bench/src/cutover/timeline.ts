import { element, text } from '../flow-control/svg';
import type { BlockedCall } from './ledger';

const width = 1200;
const lane = 14;
const margin = 24;
const colours: Readonly<Record<string, string>> = {
  records: '#8a6d3b',
  source: '#2b6cb0',
  target: '#2f855a',
  fence: '#2f855a',
};

/** The requests of one cutover as bars, from the request for the block to the answer of the swap; names are tooltips. */
export function drawTimeline(calls: readonly BlockedCall[]): string {
  const end = Math.max(1, ...calls.map(({ toMs }) => toMs));
  const x = (ms: number): number => margin + (ms / end) * (width - 2 * margin);
  const lanes: number[] = [];
  const bars = calls.map(({ name, fromMs, toMs }) => {
    const free = lanes.findIndex((until) => until <= fromMs);
    const row = free === -1 ? lanes.length : free;
    lanes[row] = toMs;
    const role = name.split(' ')[1]?.split('/')[0] ?? '';
    const title = element('title', {}, escape(`${name}: ${Math.round(fromMs)} to ${Math.round(toMs)} ms`));
    return element(
      'rect',
      {
        x: x(fromMs),
        y: margin + row * lane,
        width: Math.max(1, x(toMs) - x(fromMs)),
        height: lane - 3,
        fill: colours[role] ?? '#718096',
      },
      title,
    );
  });
  const height = 2 * margin + lanes.length * lane;
  const label = text(margin, 16, `block to swap: ${Math.round(end)} ms, ${calls.length} requests`, {
    'font-size': 12,
  });
  return element(
    'svg',
    { xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${width} ${height}`, 'font-family': 'sans-serif' },
    [label, ...bars].join(''),
  );
}

const escape = (content: string): string => content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
