import { describeLoad, group } from '../report';
import { medianOf } from '../summary';
import type { LongResult, LongSample } from './results';

/** Parts of the copy whose speeds are compared. */
const parts = 5;

/** Documents copied a second, between each two samples of the copy. The seconds are those of the later sample. */
export function speeds(
  samples: readonly LongSample[],
): readonly { readonly seconds: number; readonly docsPerSecond: number }[] {
  return samples.flatMap((sample, at) => {
    const before = samples[at - 1];
    if (before === undefined || sample.documentsCopied === before.documentsCopied) return [];
    const docsPerSecond =
      (sample.documentsCopied - before.documentsCopied) / (sample.seconds - before.seconds);
    return [{ seconds: sample.seconds, docsPerSecond }];
  });
}

/** Median speed of each fifth of the copy, by time: a copy that slows down shows it here. */
export function speedsByPart(samples: readonly LongSample[]): readonly number[] {
  const all = speeds(samples);
  return Array.from({ length: parts }, (_, part) =>
    all.slice(Math.floor((part * all.length) / parts), Math.floor(((part + 1) * all.length) / parts)),
  )
    .filter((some) => some.length > 0)
    .map((some) => medianOf(some.map(({ docsPerSecond }) => docsPerSecond)));
}

export const describeShards = ({ sourceShards, targetShards, byFiles }: LongResult): string =>
  `${sourceShards} → ${targetShards} shards${byFiles ? ' by files' : ''}`;

/** The lines at the end. */
export function createLongReport(result: LongResult): readonly string[] {
  const { samples, cpuSeconds = {}, machine } = result;
  const megabytes = (bytes: number): string => `${group(bytes / 2 ** 20)} MB`;
  const most = (of: (sample: LongSample) => number): number => Math.max(...samples.map(of));
  const service = Object.entries(cpuSeconds);
  const ofService = service.reduce((sum, [, seconds]) => sum + seconds, 0);
  return [
    `${group(result.documents)} documents, ${describeShards(result)}, ` +
      `${result.rate} operations/s offered`,
    `  copy ${group(result.copySeconds)} s (${group(result.documents / result.copySeconds)} docs/s), ` +
      `start to COMPLETED ${group(result.endToEndSeconds)} s`,
    `  docs/s by fifth of the copy: ${speedsByPart(samples).map(group).join(', ')}`,
    ...(result.lostAtSeconds === undefined
      ? []
      : [`  all snapshots were closed after ${group(result.lostAtSeconds)} s`]),
    `  block ${group(result.blockMs)} ms, longest pause of a writer ${group(result.longestPauseMs)} ms, ` +
      `${group(result.refusedWrites)} writes refused`,
    `  worker at most ${megabytes(most(({ workerBytes = 0 }) => workerBytes))} in RAM, ` +
      `snapshots pinned at most ${megabytes(most(({ pinnedBytes }) => pinnedBytes))} of the source's ` +
      megabytes(most(({ sourceBytes }) => sourceBytes)),
    `  CPU of the cluster ${group(result.clusterCpuSeconds)} s, of the service ` +
      `${service.map(([name, seconds]) => `${name} ${group(seconds)} s`).join(', ')} ` +
      `(${(ofService / result.clusterCpuSeconds).toFixed(2)} of the cluster's)`,
    `  ${group(result.verifiedDocuments)} documents that writers had written were read through the alias: as acknowledged`,
    describeLoad(machine),
  ];
}
