import type { AoscRun, ByName, ByProcess, ReindexRun, Run, Summary } from './results';

/** @param runs at least one `_reindex` and one AOSC run @throws Error when there are none */
export function summarize(runs: readonly Run[]): Summary {
  const reindexes = runs.filter((run) => run.kind === 'reindex');
  const migrations = runs.filter((run) => run.kind === 'aosc');
  const sizes = [...new Set(reindexes.map(({ size }) => size))];
  const speeds = sizes.map((size) => ({
    size,
    speed: medianOf(valuesOf(reindexes, size, (run) => run.docsPerSecond)),
  }));
  const better = speeds.reduce((best, other) => (other.speed > best.speed ? other : best));
  const rival = reindexes.filter(({ size }) => size === better.size);
  return {
    reindexDocsPerSecond: Object.fromEntries(speeds.map(({ size, speed }) => [size, speed])),
    reindexClusterCpuSeconds: Object.fromEntries(
      sizes.map((size) => [size, medianOf(valuesOf(reindexes, size, (run) => run.clusterCpuSeconds))]),
    ),
    betterReindexSize: better.size,
    backfillDocsPerSecond: medianOf(migrations.map((run) => run.backfillDocsPerSecond)),
    backfillRatio: medianOf(ratiosOf(migrations, rival, (run) => run.backfillDocsPerSecond)),
    convergedDocsPerSecond: medianOf(migrations.map((run) => run.convergedDocsPerSecond)),
    convergedRatio: medianOf(ratiosOf(migrations, rival, (run) => run.convergedDocsPerSecond)),
    endToEndDocsPerSecond: medianOf(migrations.map((run) => run.endToEndDocsPerSecond)),
    endToEndRatio: medianOf(ratiosOf(migrations, rival, (run) => run.endToEndDocsPerSecond)),
    clusterCpuSeconds: medianOf(migrations.map((run) => run.clusterCpuSeconds)),
    clusterCpuRatio: medianOf(
      ratiosOf(
        migrations,
        rival,
        (run) => run.clusterCpuSeconds,
        (run) => run.clusterCpuSeconds,
      ),
    ),
    foreseen: mergeByName(
      migrations.map((run) => run.foreseen),
      medianOf,
    ),
    verified: mergeByName(
      migrations.map((run) => run.verified),
      medianOf,
    ),
    cpuSeconds: mergeByProcess(
      migrations.map(({ cpuSeconds }) => cpuSeconds),
      medianOf,
    ),
    peakBytes: mergeByProcess(
      migrations.map(({ peakBytes }) => peakBytes),
      (values) => Math.max(...values),
    ),
  };
}

function valuesOf(
  runs: readonly ReindexRun[],
  size: number,
  value: (run: ReindexRun) => number,
): readonly number[] {
  return runs.filter((run) => run.size === size).map(value);
}

/** Each migration next to the `_reindex` of its own round. */
function ratiosOf(
  migrations: readonly AoscRun[],
  rival: readonly ReindexRun[],
  valueOf: (run: AoscRun) => number,
  ofRival: (run: ReindexRun) => number = (run) => run.docsPerSecond,
): readonly number[] {
  return migrations.flatMap((run) => {
    const beside = rival.find(({ round }) => round === run.round);
    return beside === undefined ? [] : [valueOf(run) / ofRival(beside)];
  });
}

function mergeByProcess(
  list: readonly (ByProcess | undefined)[],
  merge: (values: readonly number[]) => number,
): ByProcess | undefined {
  const merged = mergeByName(list, merge);
  if (merged === undefined) return undefined;
  const { worker = 0, scheduler = 0, api = 0 } = merged;
  return { worker, scheduler, api };
}

/** Merges the values that the runs have for each process. @returns undefined when no run was measured */
export function mergeByName(
  list: readonly (ByName | undefined)[],
  merge: (values: readonly number[]) => number,
): ByName | undefined {
  const measured = list.filter((entry) => entry !== undefined);
  if (measured.length === 0) return undefined;
  const names = [...new Set(measured.flatMap((entry) => Object.keys(entry)))];
  return Object.fromEntries(
    names.map((name) => [name, merge(measured.flatMap((entry) => entry[name] ?? []))]),
  );
}

/** @throws Error for an empty list */
export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined) throw new Error('nothing was measured');
  return (lower + upper) / 2;
}
