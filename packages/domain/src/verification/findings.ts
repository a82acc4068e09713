import { type Difference, type DifferenceCounts, differenceKinds } from '@aosc/contract';

/** Of each kind. */
export const maxSamples = 1000;

export interface Findings {
  readonly counts: DifferenceCounts;
  /** at the most {@link maxSamples} of each kind */
  readonly samples: readonly Difference[];
}

export const noFindings: Findings = {
  counts: { missing: 0, extra: 0, version: 0, routing: 0, source: 0 },
  samples: [],
};

/** Counts all of them, and keeps the first of each kind. */
export function withDifferences({ counts, samples }: Findings, found: readonly Difference[]): Findings {
  const next = { ...counts };
  const kept = [...samples];
  const keptOf = new Map(
    differenceKinds.map((kind) => [kind, samples.filter((sample) => sample.kind === kind).length]),
  );
  for (const difference of found) {
    const { kind } = difference;
    next[kind] += 1;
    const before = keptOf.get(kind) ?? 0;
    if (before >= maxSamples) continue;
    keptOf.set(kind, before + 1);
    kept.push(difference);
  }
  return { counts: next, samples: kept };
}

export function differencesIn(counts: DifferenceCounts): number {
  return differenceKinds.reduce((sum, kind) => sum + counts[kind], 0);
}
