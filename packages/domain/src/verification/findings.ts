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

/**
 * Counts all of them, and keeps the first of each kind. A missing document whose id the target has under another routing is one
 * difference, not two: its other side is among the samples or in `found`.
 */
export function withDifferences({ counts, samples }: Findings, found: readonly Difference[]): Findings {
  const next = { ...counts };
  const kept = [...samples];
  /** by kind and id */
  const unkept = new Map<string, Difference[]>();
  const take = (kind: Difference['kind'], id: string): Difference | undefined => {
    const at = next[kind] === 0 ? -1 : kept.findIndex((one) => one.kind === kind && one.id === id);
    return at === -1 ? unkept.get(`${kind} ${id}`)?.pop() : kept.splice(at, 1)[0];
  };
  for (const difference of found) {
    const { kind, id } = difference;
    const other = kind === 'missing' ? 'extra' : 'missing';
    const pair = kind === 'missing' || kind === 'extra' ? take(other, id) : undefined;
    if (pair !== undefined) next[other] -= 1;
    const counted: Difference =
      pair === undefined ? difference : { ...(kind === 'missing' ? difference : pair), kind: 'routing' };
    next[counted.kind] += 1;
    if (next[counted.kind] <= maxSamples) kept.push(counted);
    else {
      const name = `${counted.kind} ${id}`;
      unkept.set(name, [...(unkept.get(name) ?? []), counted]);
    }
  }
  return { counts: next, samples: kept };
}

export function differencesIn(counts: DifferenceCounts): number {
  return differenceKinds.reduce((sum, kind) => sum + counts[kind], 0);
}
