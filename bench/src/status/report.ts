import { describeLoad, group } from '../report';
import type { StatusFigures, StatusResult } from './results';

const missing = 'none';

/** The table at the end: with a migration running beside without. */
export function createStatusReport(result: StatusResult): readonly string[] {
  const { machine, running, idle } = result;
  const rows: readonly (readonly [string, (figures: StatusFigures) => string])[] = [
    ['requests', ({ requests, seconds }) => `${group(requests)} in ${seconds.toFixed(0)} s`],
    ['failures', ({ failures }) => group(failures)],
    ['p50', ({ p50Ms }) => ms(p50Ms)],
    ['p99', ({ p99Ms }) => ms(p99Ms)],
    ['longest', ({ maxMs }) => ms(maxMs)],
    ['bytes of an answer, no ETag sent', ({ bytesWithoutTag }) => bytes(bytesWithoutTag)],
    ['bytes of an answer, ETag sent', ({ bytesWithTag }) => bytes(bytesWithTag)],
    ['304 when an ETag was sent', ({ notModifiedShare }) => share(notModifiedShare)],
    ['CPU of the API', ({ cpuSeconds, seconds }) => share(cpuSeconds && cpuSeconds.api / seconds)],
  ];
  const table = [
    ['', 'migration running', 'ended'],
    ...rows.map(([name, show]) => [name, show(running), show(idle)]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const isReached = running.p99Ms < result.goalP99Ms;
  return [
    `${result.requestsPerSecond} status requests a second, ${result.sourceShards} → ${result.targetShards} shards, ` +
      `${group(result.documents)} documents`,
    ...table.map(([name = '', ...cells]) =>
      ['', name.padEnd(widths[0] ?? 0), ...cells.map((cell, i) => cell.padStart(widths[i + 1] ?? 0))].join(
        '  ',
      ),
    ),
    `goal for p99: below ${result.goalP99Ms} ms, ${isReached ? 'reached' : 'missed'}`,
    describeLoad(machine),
  ];
}

const ms = (value: number): string => `${value.toFixed(1)} ms`;
const bytes = (value: number | undefined): string => (value === undefined ? missing : group(value));
const share = (value: number | undefined): string =>
  value === undefined ? missing : `${(value * 100).toFixed(0)} %`;
