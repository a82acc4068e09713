import {
  type ComparisonReport,
  describeMismatches,
  type StatusDocument,
  type VerificationReport,
  type WriterStats,
} from '@aosc/testkit';
import { group, sumCounters } from './progress-view';
import { describeTimes, type StepTime } from './steps';

export interface DemoResult {
  readonly status: StatusDocument;
  readonly writers: WriterStats;
  /** undefined: the migration did not complete, so there is nothing to compare */
  readonly comparison: ComparisonReport | undefined;
  readonly verification: VerificationReport;
}

export interface DemoReport {
  readonly lines: readonly string[];
  /** COMPLETED, no mismatch, and no acknowledged write is lost */
  readonly passed: boolean;
}

/** The demo's last word: a short table, and what is wrong if anything is. */
export function createReport(
  { status, writers, comparison, verification }: DemoResult,
  times: readonly StepTime[],
): DemoReport {
  const totals = sumCounters(status, status.last_updated_millis);
  const afterSwap = writers.operationsByIndex[status.target_index] ?? 0;
  const mismatches = (comparison?.mismatches.total ?? 0) + verification.mismatches.total;
  const rows: [string, string][] = [
    ['documents copied', group(totals.documents)],
    ['docs/s', group(totals.documentsPerSecond)],
    ['operations replayed', group(totals.operations)],
    ['deletes replayed', group(totals.deletes)],
    ['longest pause any writer saw', `${group(writers.longestPauseMs)} ms`],
    [
      'operations the writers sent',
      `${group(writers.operations)}, ${group(afterSwap)} of them after the swap`,
    ],
    ['documents compared', describeCompared(comparison)],
    ['acknowledged writes checked', `${group(verification.documents)} documents`],
    ['mismatches', group(mismatches)],
    ['time', describeTimes(times)],
  ];
  const problems = [
    ...(status.phase === 'COMPLETED'
      ? []
      : [`the migration ended as ${status.phase}: ${status.error_message ?? ''}`]),
    ...(comparison === undefined ? [] : describeMismatches(comparison.mismatches)).map(
      (line) => `target and source: ${line}`,
    ),
    ...describeMismatches(verification.mismatches).map((line) => `alias and acknowledged writes: ${line}`),
    ...(writers.errors + writers.violations > 0
      ? [
          `the writers met ${writers.errors} errors and ${writers.violations} contradictions`,
          ...writers.problems.slice(0, 5),
        ]
      : []),
    ...(status.phase === 'COMPLETED' && afterSwap === 0
      ? ['no write reached the target through the alias']
      : []),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return {
    lines: [...rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`), ...problems],
    passed: problems.length === 0 && mismatches === 0,
  };
}

function describeCompared(comparison: ComparisonReport | undefined): string {
  if (comparison === undefined) return 'none';
  return (
    `${group(comparison.judgedBySource)} with the source, ` +
    `${group(comparison.judgedByModel)} written after the swap with the writers' history`
  );
}
