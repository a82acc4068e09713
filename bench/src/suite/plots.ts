import { type Bar, type BarGroup, drawBars } from './bars';
import { drawGaps } from './gap-plot';
import type { CaseResult, ContestantSummary, Spread } from './results';

export interface Plot {
  /** ends the name of the file */
  readonly name: string;
  readonly caption: string;
  readonly svg: string;
}

/** The plots of all that was measured; of cases without figures there is none. */
export function drawPlots(cases: readonly CaseResult[]): readonly Plot[] {
  const copies = cases.filter((one) => one.kind === 'copy');
  const groupsOf = (bars: (summary: ContestantSummary) => readonly Bar[]): readonly BarGroup[] =>
    copies.map(({ name, summary }) => ({ label: name, bars: summary.contestants.flatMap(bars) }));
  const speed = 'Documents copied a second';
  const cpu = 'CPU seconds of the cluster for one copy';
  const sustained = cases.filter((one) => one.kind === 'sustained');
  return [
    ...(copies.length === 0
      ? []
      : [
          { name: 'speed', caption: speed, svg: drawBars(speed, 'docs/s', groupsOf(speedBars)) },
          { name: 'cpu', caption: cpu, svg: drawBars(cpu, 's', groupsOf(cpuBars)) },
        ]),
    ...sustained.map(({ runs }) => ({
      name: 'gap',
      caption: 'Operations left to replay over time',
      svg: drawGaps(runs),
    })),
  ];
}

function speedBars(of: ContestantSummary): readonly Bar[] {
  return of.contestant === 'AOSC'
    ? [
        bar('AOSC, the copy', of.copyDocsPerSecond, true),
        bar('AOSC, end to end', of.endToEndDocsPerSecond, true),
      ]
    : [bar(of.contestant, of.endToEndDocsPerSecond, false)];
}

function cpuBars({ contestant, clusterCpuSeconds }: ContestantSummary): readonly Bar[] {
  return [bar(contestant, clusterCpuSeconds, contestant === 'AOSC')];
}

const bar = (label: string, value: Spread, isOwn: boolean): Bar => ({ label, value, isOwn });
