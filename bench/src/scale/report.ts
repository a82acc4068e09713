import { describeLoad, group } from '../report';
import type { ScaleResult } from './results';

/** A table with one line for each point, as Markdown. */
export function createScaleReport(result: ScaleResult): readonly string[] {
  const { runs, machine, documents, sourceShards, targetShards, rounds } = result;
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const heads = [
    'workers',
    'nodes',
    'copy, docs/s',
    'of `_reindex`',
    'CPU of the cluster',
    'of the service',
    'the machine busy',
    'least of the busiest worker',
  ];
  return [
    `${group(documents)} documents, ${sourceShards} → ${targetShards} shards, medians of ${rounds} round(s) after one of warm-up`,
    '',
    row(heads),
    row(heads.map(() => '---')),
    ...runs.map((run) =>
      row([
        String(run.workers),
        String(run.nodes),
        group(run.copyDocsPerSecond),
        run.copyRatio.toFixed(2),
        `${run.clusterCpuSeconds.toFixed(1)} s`,
        `${run.serviceCpuSeconds.toFixed(1)} s`,
        `${Math.round(100 * run.busy)} %`,
        `${Math.round(100 * run.fairness)} %`,
      ]),
    ),
    '',
    describeLoad(machine),
  ];
}
