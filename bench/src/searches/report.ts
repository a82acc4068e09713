import { group } from '../report';
import { nameRound } from '../rounds';
import { searchKinds } from './queries';
import {
  type Condition,
  conditions,
  type ConditionSummary,
  type SearchesResult,
  type SearchRun,
} from './results';

const names: Readonly<Record<Condition, string>> = {
  quiet: 'no migration',
  low_impact: 'low-impact',
  high_throughput: 'high-throughput',
};

/** One line for a run that has just ended. */
export function describeSearchRun({
  condition,
  round,
  p50Ms,
  p95Ms,
  documentsCopied,
  seconds,
}: SearchRun): string {
  const copied = condition === 'quiet' ? '' : `, ${group(documentsCopied / seconds)} docs/s copied`;
  return `${nameRound(round)}  ${names[condition]}: p50 ${ms(p50Ms)}, p95 ${ms(p95Ms)}${copied}`;
}

/** The table at the end: the three conditions side by side. */
export function createSearchesReport(result: SearchesResult): readonly string[] {
  const { machine, summary, runs } = result;
  const rows: readonly (readonly [string, (figures: ConditionSummary) => string])[] = [
    ['searches a second', ({ searchesPerSecond }) => searchesPerSecond.toFixed(1)],
    ['failures', ({ failures }) => group(failures)],
    ['p50', ({ p50Ms }) => ms(p50Ms)],
    ['p95', ({ p95Ms }) => ms(p95Ms)],
    ['p50, of that without migration', ({ p50Ratio }) => times(p50Ratio)],
    ['p95, of that without migration', ({ p95Ratio }) => times(p95Ratio)],
    ...searchKinds.map(
      (kind) =>
        [
          `  ${kind.replaceAll('_', ' ')}`,
          ({ p95RatioByKind }: ConditionSummary) => times(p95RatioByKind[kind]),
        ] as const,
    ),
    ['documents copied a second', ({ documentsCopiedPerSecond }) => group(documentsCopiedPerSecond)],
    ['CPUs of the cluster', ({ clusterCpus }) => clusterCpus.toFixed(2)],
  ];
  const table = [
    ['', ...conditions.map((condition) => names[condition])],
    ...rows.map(([name, show]) => [name, ...conditions.map((condition) => show(summary[condition]))]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const seconds = Math.round(Math.min(...runs.map((run) => run.seconds)));
  return [
    `${result.clients} clients search ${group(result.documents)} documents, each ${result.pauseMs} ms after its last answer; ` +
      `${result.sourceShards} → ${result.targetShards} shards, medians of ${result.rounds} round(s) of ${seconds} s`,
    ...table.map(([name = '', ...cells]) =>
      ['', name.padEnd(widths[0] ?? 0), ...cells.map((cell, i) => cell.padStart(widths[i + 1] ?? 0))].join(
        '  ',
      ),
    ),
    `${machine.cpus} CPUs, on which the service gives way to the cluster (nice 19); load ${machine.loadBefore.toFixed(1)} before the first run`,
  ];
}

const ms = (value: number): string => `${value.toFixed(1)} ms`;
const times = (ratio: number): string => `${ratio.toFixed(2)} ×`;
