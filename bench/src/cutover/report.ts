import { percentileOf } from '../percentile';
import { describeLoad, group } from '../report';
import type { CutoverResult, CutoverRun } from './results';

/** of each phase */
const kindsShown = 5;

/** The tables at the end. */
export function createCutoverReport(result: CutoverResult): readonly string[] {
  const { runs, machine } = result;
  const median = (value: (run: CutoverRun) => number): number => percentileOf(runs.map(value), 0.5);
  const phases = [...new Set(runs.flatMap(({ phaseMs }) => Object.keys(phaseMs)))];
  const rows: readonly (readonly [string, string])[] = [
    ['requests of the migration', group(median(({ calls }) => calls.all))],
    ['under the block', group(median(({ calls }) => calls.underBlock.length))],
    ['of those in a row, at the most', group(median(({ calls }) => calls.inARow))],
    ['from the block to the swap', ms(median(({ calls }) => calls.blockMs ?? NaN))],
    ['longest pause of a writer, p50', ms(median(({ pauseMs }) => pauseMs))],
    [
      'p95',
      ms(
        percentileOf(
          runs.map(({ pauseMs }) => pauseMs),
          0.95,
        ),
      ),
    ],
    ['refused writes', group(median(({ refusedWrites }) => refusedWrites))],
    ['start to COMPLETED', ms(median(({ endToEndMs }) => endToEndMs))],
    ...phases.map((phase) => [`  ${phase}`, ms(median(({ phaseMs }) => phaseMs[phase] ?? 0))] as const),
    ["the cluster's CPU", `${median(({ clusterCpuSeconds }) => clusterCpuSeconds).toFixed(1)} s`],
  ];
  const last = runs.at(-1);
  const width = Math.max(...rows.map(([name]) => name.length));
  return [
    `${result.sourceShards} → ${result.targetShards} shards, ${group(result.documents)} documents, ` +
      `${result.rate} operations/s, ${result.roundTripMs} ms on top of each round trip; medians of ${runs.length}`,
    ...rows.map(([name, figure]) => `  ${name.padEnd(width)}  ${figure}`),
    'requests by phase, and the most frequent kinds, of the last migration:',
    ...Object.entries(last?.calls.byPhase ?? {}).flatMap(([phase, count]) => [
      `  ${group(count)}  ${phase}`,
      ...(last?.calls.kindsByPhase[phase] ?? [])
        .slice(0, kindsShown)
        .map(([name, times]) => `    ${group(times)}  ${name}`),
    ]),
    describeLoad(machine),
  ];
}

const ms = (value: number): string => `${group(Math.round(value))} ms`;
