import { type Condition, conditions } from '../searches/results';
import {
  createTable,
  showByName,
  showCount,
  showMegabytes,
  showMs,
  showPercent,
  showRatio,
  showSeconds,
  showSpread,
} from './figures';
import type { ApplicationsResult, CopyResult, SustainedResult, SustainedRun } from './results';

/** Writers that got so much of what they offered were not held up. */
const wholeShare = 0.95;

const conditionNames: Readonly<Record<Condition, string>> = {
  quiet: 'no migration',
  low_impact: 'low-impact',
  high_throughput: 'high-throughput',
};

export function reportCopy(result: CopyResult): readonly string[] {
  const { summary } = result;
  const facts = [
    `${showCount(result.documents)} documents of ${showCount(result.sourceBytesPerDocument)} bytes`,
    `${result.sourceShards} → ${result.targetShards} shards`,
    ...(result.updates === 0
      ? []
      : [
          `each updated ${result.updates} times before (the segments held ${showCount(result.deletedDocuments)} deleted documents)`,
        ]),
  ];
  return [
    `${facts.join(', ')}.`,
    ...(result.script === undefined ? [] : ['', `All run the same script: \`${result.script}\`.`]),
    '',
    ...createTable([
      [
        '',
        'copy, docs/s',
        'of it',
        'end to end, docs/s',
        'of it',
        'cluster CPU, s',
        'of it',
        'own CPU, s',
        'peak memory, MB',
      ],
      ...summary.contestants.map((one) => [
        `\`${one.contestant}\``,
        showSpread(one.copyDocsPerSecond, showCount),
        showSpread(one.copyRatio, showRatio),
        showSpread(one.endToEndDocsPerSecond, showCount),
        showSpread(one.endToEndRatio, showRatio),
        showSpread(one.clusterCpuSeconds, showSeconds),
        showSpread(one.clusterCpuRatio, showRatio),
        showByName(one.cpuSeconds, showSeconds),
        showByName(one.peakBytes, showMegabytes),
      ]),
    ]),
    '',
    `"Of it" is the ratio to \`${summary.bestReindex}\` of the same round, the fastest \`_reindex\` here.`,
  ];
}

export function reportSustained(result: SustainedResult): readonly string[] {
  const { runs, writers, maximum } = result;
  return [
    `${showCount(result.documents)} documents, ${result.sourceShards} → ${result.targetShards} shards. ${writers} writers ` +
      `without a migration and without pauses: ${showSpread(maximum, showCount)} operations/s. Each share of the median ` +
      `was then written while a migration ran; one that had not ended after ${result.boundSeconds} s was cancelled.`,
    '',
    ...createTable([
      [
        'share',
        'offered/s',
        'done/s',
        'done of offered',
        'migration',
        'seconds',
        'longest pause, ms',
        'largest gap',
        'last gap',
      ],
      ...runs.map((run) => [
        showPercent(run.share),
        showCount(run.offeredPerSecond),
        showCount(run.donePerSecond),
        showPercent(doneShare(run)),
        run.reason === undefined ? run.phase : `${run.phase}: ${run.reason}`,
        showSeconds(run.seconds),
        showCount(run.longestPauseMs),
        showCount(Math.max(0, ...run.gap.map(({ operations }) => operations))),
        showCount(run.gap.at(-1)?.operations ?? 0),
      ]),
    ]),
    '',
    `The ${summarizeSustained(result)}.`,
  ];
}

/** Which share of the maximum a migration ends beside, and which one the writers keep meanwhile. */
export function summarizeSustained({ runs }: SustainedResult): string {
  const ended = runs.filter(({ completed }) => completed);
  const kept = ended.filter((run) => doneShare(run) >= wholeShare);
  return (
    `highest share with which the migration ended: ${highest(ended)}; with which the writers also got at least ` +
    `${showPercent(wholeShare)} of what they offered: ${highest(kept)}`
  );
}

const doneShare = ({ donePerSecond, offeredPerSecond }: SustainedRun): number =>
  donePerSecond / offeredPerSecond;

function highest(runs: readonly SustainedRun[]): string {
  return runs.length === 0 ? 'none' : showPercent(Math.max(...runs.map(({ share }) => share)));
}

export function reportApplications(result: ApplicationsResult): readonly string[] {
  const { searches, writes } = result;
  return [
    `${showCount(result.documents)} documents, ${result.sourceShards} → ${result.targetShards} shards, while a migration ` +
      'copies under either profile. Ratios are to the run without a migration in the same round. The service gives way to ' +
      'the cluster (nice 19).',
    '',
    ...createTable([
      ['searches', ...conditions.map((name) => conditionNames[name])],
      ['p50, ms', ...conditions.map((name) => showMs(searches.summary[name].p50Ms))],
      ['p95, ms', ...conditions.map((name) => showMs(searches.summary[name].p95Ms))],
      [
        'p95, of that without a migration',
        ...conditions.map((name) => showRatio(searches.summary[name].p95Ratio)),
      ],
      ['failures', ...conditions.map((name) => showCount(searches.summary[name].failures))],
      [
        'docs/s copied',
        ...conditions.map((name) => showCount(searches.summary[name].documentsCopiedPerSecond)),
      ],
    ]),
    '',
    ...createTable([
      [
        `writes, ${showCount(writes.offeredPerSecond)}/s offered`,
        ...conditions.map((name) => conditionNames[name]),
      ],
      ['done/s', ...conditions.map((name) => showSpread(writes.summary[name].donePerSecond, showCount))],
      ['done of offered', ...conditions.map((name) => showSpread(writes.summary[name].share, showPercent))],
      ['refused and tried again', ...conditions.map((name) => showCount(writes.summary[name].refused))],
      ['longest pause, ms', ...conditions.map((name) => showCount(writes.summary[name].longestPauseMs))],
      [
        'docs/s copied',
        ...conditions.map((name) => showCount(writes.summary[name].documentsCopiedPerSecond)),
      ],
    ]),
  ];
}
