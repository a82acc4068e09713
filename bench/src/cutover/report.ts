import { percentileOf } from '../percentile';
import { describeLoad, group } from '../report';
import { habits } from './habits';
import type { CutoverResult, CutoverRun } from './results';

/** of each phase */
const kindsShown = 5;

/** The tables at the end. */
export function createCutoverReport(result: CutoverResult): readonly string[] {
  const { runs, beside, machine, nodes = 1, load = 0, warmUps = 0 } = result;
  const figures = listFigures([...runs, ...(beside?.runs ?? [])]);
  const width = Math.max(...figures.map(({ name }) => name.length));
  const lines = figures.map(({ name, unit, read }) => {
    const own = read(runs);
    const shown = `  ${name.padEnd(width)}  ${unit(own)}`;
    if (beside === undefined) return shown;
    const other = read(beside.runs);
    const ratio = other === 0 ? '' : (own / other).toFixed(2);
    return `${shown.padEnd(width + 20)}${unit(other).padEnd(12)}${ratio}`.trimEnd();
  });
  const last = runs.at(-1);
  return [
    `${result.sourceShards} → ${result.targetShards} shards, ${group(result.documents)} documents, ` +
      `${nodes} ${nodes === 1 ? 'node' : 'nodes'}, ${result.rate} operations/s, ${result.roundTripMs} ms on top of each round trip, ${load} busy clients; ` +
      `medians of ${runs.length}, after ${warmUps} of warm-up`,
    ...(beside === undefined
      ? []
      : [`${result.commit}, beside it ${beside.commit} in turns, and the ratio of the two`]),
    ...lines,
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

interface Figure {
  readonly name: string;
  readonly unit: (value: number) => string;
  readonly read: (runs: readonly CutoverRun[]) => number;
}

function listFigures(runs: readonly CutoverRun[]): readonly Figure[] {
  const figure = (
    name: string,
    unit: Figure['unit'],
    value: (run: CutoverRun) => number,
    share = 0.5,
  ): Figure => ({ name, unit, read: (of) => percentileOf(of.map(value), share) });
  const phases = [...new Set(runs.flatMap(({ phaseMs }) => Object.keys(phaseMs)))];
  return [
    figure('requests of the migration', group, ({ calls }) => calls.all),
    figure('under the block', group, ({ calls }) => calls.underBlock.length),
    figure('of those in a row, at the most', group, ({ calls }) => calls.inARow),
    figure('from the block to the swap', ms, ({ calls }) => calls.blockMs ?? NaN),
    figure('longest pause of a writer, p50', ms, ({ pauseMs }) => pauseMs),
    figure('p95', ms, ({ pauseMs }) => pauseMs, 0.95),
    figure('refused writes', group, ({ refusedWrites }) => refusedWrites),
    ...(runs.some(({ habits: met }) => met !== undefined) ? habits : []).flatMap((habit) => [
      figure(
        `tried again ${habit}: refused of one client`,
        group,
        ({ habits: met }) => met?.[habit].refusedOfOne ?? 0,
      ),
      figure(`  longest operation`, ms, ({ habits: met }) => met?.[habit].longestMs ?? 0),
      figure(`  operations lost`, group, ({ habits: met }) => met?.[habit].lost ?? 0),
    ]),
    figure('start to COMPLETED', ms, ({ endToEndMs }) => endToEndMs),
    ...phases.map((phase) => figure(`  ${phase}`, ms, ({ phaseMs }) => phaseMs[phase] ?? 0)),
    figure("the cluster's CPU", seconds, ({ clusterCpuSeconds }) => clusterCpuSeconds),
  ];
}

const ms = (value: number): string => `${group(Math.round(value))} ms`;
const seconds = (value: number): string => `${value.toFixed(1)} s`;
