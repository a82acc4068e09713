import type { BenchResult, ByName, ByProcess, Machine, Run } from './results';
import { nameRound } from './rounds';

const MB = 2 ** 20;

/** One line for a run that has just ended. */
export function describeRun(run: Run): string {
  const round = nameRound(run.round);
  if (run.kind === 'reindex') {
    return `${round}  _reindex size ${run.size}: ${rate(run.docsPerSecond)} in ${seconds(run.elapsedMs)}, ${cpu(run)}`;
  }
  return (
    `${round}  AOSC: backfill ${rate(run.backfillDocsPerSecond)} in ${seconds(run.backfillMs)}, ` +
    [
      `end to end ${rate(run.endToEndDocsPerSecond)} in ${seconds(run.endToEndMs)}, ${cpu(run)}`,
      ...describeForeseen(run.foreseen),
      ...describeVerified(run.verified),
    ].join('; ')
  );
}

/** What a report ends with: with a load of its own the machine makes figures doubtful. */
export function describeLoad({ cpus, loadBefore }: Machine): string {
  return `${cpus} CPUs, load ${loadBefore.toFixed(1)} before the first run`;
}

/** The table at the end. */
export function createReport(result: BenchResult): readonly string[] {
  const { summary, machine } = result;
  const reindexRows = Object.entries(summary.reindexDocsPerSecond).map(([size, speed]) => [
    `_reindex, slices auto, size ${size}`,
    rate(speed),
    Number(size) === summary.betterReindexSize ? 'the better one' : '',
  ]);
  const rows = [
    ...reindexRows,
    [
      'AOSC, backfill alone',
      rate(summary.backfillDocsPerSecond),
      `${summary.backfillRatio.toFixed(2)} of it`,
    ],
    [
      'AOSC, start to all shards converged',
      rate(summary.convergedDocsPerSecond),
      `${summary.convergedRatio.toFixed(2)} of it`,
    ],
    [
      'AOSC, start request to COMPLETED',
      rate(summary.endToEndDocsPerSecond),
      `${summary.endToEndRatio.toFixed(2)} of it`,
    ],
  ];
  return [
    `${group(result.documents)} documents of ${result.sourceBytesPerDocument} bytes, ` +
      `${result.sourceShards} → ${result.targetShards} shards${result.byFiles ? ' by files' : ''}, medians of ${result.rounds} round(s)`,
    ...align(rows),
    `CPU seconds of the cluster: ${Object.entries(summary.reindexClusterCpuSeconds)
      .map(([size, value]) => `_reindex size ${size} ${value.toFixed(0)}, `)
      .join(
        '',
      )}AOSC ${summary.clusterCpuSeconds.toFixed(0)}, ${summary.clusterCpuRatio.toFixed(2)} of the better one's` +
      (result.byFiles ? '; with the merges that drop what linked files have of other shards' : ''),
    ...describeForeseen(summary.foreseen),
    ...describeVerified(summary.verified),
    `CPU seconds of ours: ${describe(summary.cpuSeconds, (value) => value.toFixed(1))}`,
    `peak memory of ours: ${describe(summary.peakBytes, (value) => `${Math.round(value / MB)} MB`)}`,
    describeLoad(machine) +
      (result.profiled ? '; the worker was being profiled' : '') +
      (result.pinned === true ? '; cluster and service on cores of their own' : ''),
  ];
}

function describe(values: ByProcess | undefined, format: (value: number) => string): string {
  if (values === undefined) return 'not measured';
  return `worker ${format(values.worker)}, scheduler ${format(values.scheduler)}, API ${format(values.api)}`;
}

/** Estimates of the plans, as parts of what came. */
export function describeForeseen(foreseen: ByName | undefined): readonly string[] {
  if (foreseen === undefined) return [];
  const { seconds = NaN, diskBytes = NaN, pauseMs = NaN } = foreseen;
  const [time, disk, pause] = [seconds, diskBytes, pauseMs].map((part) => part.toFixed(2));
  return [`estimates of the plan, as parts of what came: copy ${time}, disk ${disk}, pause ${pause}`];
}

/** A verification by content, as parts of the copy. */
function describeVerified(verified: ByName | undefined): readonly string[] {
  if (verified === undefined) return [];
  const parts = ['time', 'cluster', 'worker'].map((name) => (verified[name] ?? NaN).toFixed(2));
  const [time = '', cluster = '', worker = ''] = parts;
  return [
    `verified by content, as parts of the copy: time ${time}, cluster's CPU ${cluster}, worker's ${worker}`,
  ];
}

function align(rows: readonly (readonly string[])[]): readonly string[] {
  const width = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const [first, second] = [width(0), width(1)];
  return rows.map(([name = '', value = '', note = '']) =>
    `  ${name.padEnd(first)}  ${value.padStart(second)}  ${note}`.trimEnd(),
  );
}

export function group(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

const rate = (docsPerSecond: number): string => `${group(docsPerSecond)} docs/s`;
const cpu = (run: Run): string => `cluster CPU ${run.clusterCpuSeconds.toFixed(0)} s`;
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
