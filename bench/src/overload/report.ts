import { describeLoad, group } from '../report';
import { medianOf } from '../summary';
import { type Controller, controllers, type OverloadResult, type OverloadRun } from './results';

/** The table at the end: each controller's medians, and its speed beside that of the fixed one of the same round. */
export function createOverloadReport(result: OverloadResult): readonly string[] {
  const { machine, runs, nodeSettings } = result;
  const table = [
    ['', 'backfill', 'of fixed', 'end to end', 'bulk_retries', 'refused by the node'],
    ...controllers.map((controller) => {
      const own = runs.filter((run) => run.controller === controller);
      const median = (value: (run: OverloadRun) => number): number => medianOf(own.map(value));
      return [
        controller,
        `${group(median((run) => run.backfillDocsPerSecond))} docs/s`,
        `${medianOf(ratiosToFixed(runs, controller)).toFixed(2)} x`,
        `${group(median((run) => run.endToEndDocsPerSecond))} docs/s`,
        group(median((run) => run.bulkRetries)),
        group(median((run) => run.rejected)),
      ];
    }),
  ];
  const widths =
    table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  return [
    `${group(result.documents)} documents, ${result.sourceShards} → ${result.targetShards} shards, medians of ` +
      `${result.rounds} round(s); ${Object.entries(nodeSettings)
        .map(([name, value]) => `${name}: ${value}`)
        .join(', ')}`,
    ...table.map(
      ([name = '', ...cells]) =>
        `  ${[name.padEnd(widths[0] ?? 0), ...cells.map((cell, at) => cell.padStart(widths[at + 1] ?? 0))].join('  ')}`,
    ),
    describeLoad(machine),
  ];
}

/** Within each round, as runs side by side alone are alike. */
export function ratiosToFixed(runs: readonly OverloadRun[], controller: Controller): readonly number[] {
  return runs.flatMap((run) => {
    if (run.controller !== controller) return [];
    const beside = runs.find((other) => other.controller === 'fixed' && other.round === run.round);
    return beside === undefined ? [] : [run.backfillDocsPerSecond / beside.backfillDocsPerSecond];
  });
}
