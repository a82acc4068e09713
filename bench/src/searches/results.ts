import type { SearchKind } from './queries';

/** What the cluster does beside the searches. */
export const conditions = ['quiet', 'low_impact', 'high_throughput'] as const;
/** `quiet`: no migration; the others: a migration that copies under that profile. */
export type Condition = (typeof conditions)[number];

export interface Percentiles {
  readonly p50Ms: number;
  readonly p95Ms: number;
}

/** The searches of one condition in one round. */
export interface SearchRun extends Percentiles {
  readonly condition: Condition;
  readonly round: number;
  readonly seconds: number;
  readonly searches: number;
  readonly failures: number;
  readonly byKind: Readonly<Record<SearchKind, Percentiles>>;
  /** by the migration meanwhile; 0 without one */
  readonly documentsCopied: number;
  readonly clusterCpuSeconds: number;
}

/** Medians over the rounds. */
export interface ConditionSummary extends Percentiles {
  readonly searchesPerSecond: number;
  /** of all rounds together */
  readonly failures: number;
  readonly documentsCopiedPerSecond: number;
  readonly clusterCpus: number;
  /** median of each round's ratio to its own quiet run, which lies beside it */
  readonly p50Ratio: number;
  readonly p95Ratio: number;
  readonly p95RatioByKind: Readonly<Record<SearchKind, number>>;
}

/** What the searches beside a copy have shown. */
export interface SearchesResult {
  readonly openSearch: string;
  /** round 0, which no summary counts */
  readonly warmUp: readonly SearchRun[];
  readonly runs: readonly SearchRun[];
  readonly summary: Readonly<Record<Condition, ConditionSummary>>;
}
