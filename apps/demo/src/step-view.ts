import { type StepProgress } from '@aosc/local-stack';
import { group } from './progress-view';

const barWidth = 30;
const bytesOfMegabyte = 1_000_000;

/** One line on how far a step is. @param withBar false: for logs and pipes */
export function renderBar(
  { what, done, total, unit }: StepProgress,
  elapsedMs: number,
  withBar: boolean,
): string {
  const seconds = `${renderStep(elapsedMs)} s`;
  const amount = describeAmount(done, total, unit);
  if (total === undefined || total === 0 || !withBar) return `${what}  ${amount}  ${seconds}`;
  const share = Math.min(1, done / total);
  const filled = Math.round(share * barWidth);
  const bar = `${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}`;
  return `${what} [${bar}] ${String(Math.floor(share * 100)).padStart(3)}%  ${amount}  ${seconds}`;
}

function describeAmount(done: number, total: number | undefined, unit: StepProgress['unit']): string {
  const scale = unit === 'bytes' ? bytesOfMegabyte : 1;
  const name = unit === 'bytes' ? 'MB' : unit;
  const of = total === undefined ? '' : ` of ${group(total / scale)}`;
  return `${group(done / scale)}${of} ${name}`;
}

/** Seconds, with one decimal as long as it says something. */
export function renderStep(millis: number): string {
  return (millis / 1000).toFixed(millis < 10_000 ? 1 : 0);
}
