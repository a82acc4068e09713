import type { CopyRun } from './results';

interface WholeRun extends Pick<
  CopyRun,
  'contestant' | 'round' | 'clusterCpuSeconds' | 'cpuSeconds' | 'peakBytes'
> {
  readonly elapsedMs: number;
  readonly docsPerSecond: number;
}

/** The run of a contestant that does nothing beside the copy: from end to end it takes as long. */
export function wholeCopy(run: WholeRun): CopyRun {
  const { contestant, round, elapsedMs, docsPerSecond, clusterCpuSeconds, cpuSeconds, peakBytes } = run;
  return {
    contestant,
    round,
    copyMs: elapsedMs,
    copyDocsPerSecond: docsPerSecond,
    endToEndMs: elapsedMs,
    endToEndDocsPerSecond: docsPerSecond,
    clusterCpuSeconds,
    cpuSeconds,
    peakBytes,
  };
}
