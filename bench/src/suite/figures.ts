import { group } from '../report';
import type { ByName } from '../results';
import type { Spread } from './results';

const MB = 2 ** 20;

/** The median, and both ends where the rounds differ: `0.94 (0.90 to 0.97)`. What is no number is a dash. */
export function showSpread(spread: Spread, show: (value: number) => string): string {
  const { median, least, most } = spread;
  if (!Number.isFinite(median)) return '–';
  return least === most ? show(median) : `${show(median)} (${show(least)} to ${show(most)})`;
}

export const showCount = (value: number): string => group(value);
export const showRatio = (value: number): string => value.toFixed(2);
export const showSeconds = (value: number): string => value.toFixed(1);
export const showMs = (value: number): string => value.toFixed(1);
export const showPercent = (share: number): string => `${Math.round(share * 100)} %`;
export const showMegabytes = (bytes: number): string => group(bytes / MB);

/** `worker 5.0, scheduler 0.5`; a dash when nothing was measured. */
export function showByName(values: ByName | undefined, show: (value: number) => string): string {
  if (values === undefined) return '–';
  return Object.entries(values)
    .map(([name, value]) => `${name} ${show(value)}`)
    .join(', ');
}

/** A Markdown table; the first row is its head. @param align of all columns but the first */
export function createTable(
  rows: readonly (readonly string[])[],
  align: 'left' | 'right' = 'right',
): readonly string[] {
  const [head = [], ...others] = rows;
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [
    line(head),
    line(head.map((_, at) => (at === 0 || align === 'left' ? ':--' : '--:'))),
    ...others.map(line),
  ];
}
