import { medianOf, mergeByName } from '../summary';
import type { ContestantSummary, CopyRun, CopySummary, Spread } from './results';

/** @throws Error for an empty list */
export function spreadOf(values: readonly number[]): Spread {
  return { median: medianOf(values), least: Math.min(...values), most: Math.max(...values) };
}

/**
 * @param runs of each contestant one in every round, at least one of them a `_reindex`
 * @throws Error when there is no `_reindex`, or none beside a run
 */
export function summarizeCopies(runs: readonly CopyRun[]): CopySummary {
  const names = [...new Set(runs.map(({ contestant }) => contestant))].sort(byPlace);
  const runsOf = (name: string): readonly CopyRun[] => runs.filter(({ contestant }) => contestant === name);
  const speedOf = (name: string): number => medianOf(runsOf(name).map((run) => run.copyDocsPerSecond));
  const [first, ...others] = names.filter(isReindex);
  if (first === undefined) throw new Error('no _reindex was measured');
  const bestReindex = others.reduce((best, other) => (speedOf(other) > speedOf(best) ? other : best), first);
  const rivals = runsOf(bestReindex);
  return { bestReindex, contestants: names.map((name) => summarizeContestant(name, runsOf(name), rivals)) };
}

function summarizeContestant(
  contestant: string,
  runs: readonly CopyRun[],
  rivals: readonly CopyRun[],
): ContestantSummary {
  const spread = (value: (run: CopyRun) => number): Spread => spreadOf(runs.map(value));
  const ratio = (value: (run: CopyRun) => number): Spread =>
    spread((run) => value(run) / value(rivalBeside(rivals, run)));
  return {
    contestant,
    copyDocsPerSecond: spread((run) => run.copyDocsPerSecond),
    copyRatio: ratio((run) => run.copyDocsPerSecond),
    endToEndDocsPerSecond: spread((run) => run.endToEndDocsPerSecond),
    endToEndRatio: ratio((run) => run.endToEndDocsPerSecond),
    clusterCpuSeconds: spread((run) => run.clusterCpuSeconds),
    clusterCpuRatio: ratio((run) => run.clusterCpuSeconds),
    cpuSeconds: mergeByName(
      runs.map(({ cpuSeconds }) => cpuSeconds),
      medianOf,
    ),
    peakBytes: mergeByName(
      runs.map(({ peakBytes }) => peakBytes),
      (values) => Math.max(...values),
    ),
  };
}

function rivalBeside(rivals: readonly CopyRun[], { contestant, round }: CopyRun): CopyRun {
  const found = rivals.find((rival) => rival.round === round);
  if (found === undefined) throw new Error(`round ${round} has no _reindex beside ${contestant}`);
  return found;
}

const isReindex = (name: string): boolean => name.startsWith('_reindex');

/** Every round begins with another contestant; in tables the rivals come first, small pages before large ones. */
function byPlace(a: string, b: string): number {
  return placeOf(a) - placeOf(b) || a.localeCompare(b, 'en', { numeric: true });
}

function placeOf(name: string): number {
  return isReindex(name) ? 0 : name === 'AOSC' ? 1 : 2;
}
