import type { Profile } from '../profiles';
import type { ByName, Circumstances } from '../results';
import type { Rounds } from '../rounds';
import type { Condition, ConditionSummary, SearchRun } from '../searches/results';
import type { CaseName } from './options';

/** Everything the suite found, as it is written to the results folder. */
export interface SuiteResult extends Circumstances {
  readonly kind: 'suite';
  /** small numbers of documents: the figures are no measurement to quote */
  readonly short: boolean;
  readonly rounds: number;
  /** undefined: each case has had its own number */
  readonly documents: number | undefined;
  /** of every migration, unless a case says otherwise */
  readonly settings: Profile;
  readonly cases: readonly CaseResult[];
}

export type CaseResult = (CopyResult | SustainedResult | ApplicationsResult | Unmeasured) & {
  readonly name: CaseName;
};

/** A case without figures. */
interface Unmeasured {
  /** `not_run`: it needs what this machine does not have; `failed`: it was begun, and an error ended it */
  readonly kind: 'not_run' | 'failed';
  readonly reason: string;
}

/** The middle value of all rounds, and the values at both ends. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** The same documents copied by several contestants in turn. */
export interface CopyResult extends Rounds<CopyRun> {
  readonly kind: 'copy';
  readonly documents: number;
  readonly sourceBytesPerDocument: number;
  readonly sourceShards: number;
  readonly targetShards: number;
  /** how often each document was updated before */
  readonly updates: number;
  /** that the segments of the source still held before the first run */
  readonly deletedDocuments: number;
  /** Painless, of all contestants */
  readonly script: string | undefined;
  readonly summary: CopySummary;
}

export interface CopyRun {
  readonly contestant: string;
  readonly round: number;
  /** of the copy alone: of AOSC the backfill, of the others everything that they do */
  readonly copyMs: number;
  readonly copyDocsPerSecond: number;
  readonly endToEndMs: number;
  readonly endToEndDocsPerSecond: number;
  /** of all nodes, from the start to the end of the run */
  readonly clusterCpuSeconds: number;
  /** of processes beside the cluster, in this run; undefined: there are none, or they were not measured */
  readonly cpuSeconds: ByName | undefined;
  /** the same, since each process began */
  readonly peakBytes: ByName | undefined;
  /** of a plan of AOSC */
  readonly foreseen?: ByName | undefined;
}

export interface CopySummary {
  /** the `_reindex` with the highest median of documents a second */
  readonly bestReindex: string;
  readonly contestants: readonly ContestantSummary[];
}

/** Ratios are those of a run to the one of the best `_reindex` in the same round, as these lie side by side. */
export interface ContestantSummary {
  readonly contestant: string;
  readonly copyDocsPerSecond: Spread;
  readonly copyRatio: Spread;
  readonly endToEndDocsPerSecond: Spread;
  readonly endToEndRatio: Spread;
  readonly clusterCpuSeconds: Spread;
  readonly clusterCpuRatio: Spread;
  /** medians */
  readonly cpuSeconds: ByName | undefined;
  /** highest of all rounds */
  readonly peakBytes: ByName | undefined;
}

/** Migrations under writers that use a share of what the cluster can write. */
export interface SustainedResult {
  readonly kind: 'sustained';
  readonly documents: number;
  readonly sourceShards: number;
  readonly targetShards: number;
  readonly writers: number;
  /** operations a second of these writers without a migration, and without pauses between their requests */
  readonly maximum: Spread;
  /** a migration that has not ended after so long is cancelled */
  readonly boundSeconds: number;
  readonly runs: readonly SustainedRun[];
}

export interface SustainedRun {
  /** of the median maximum, 0 to 1 */
  readonly share: number;
  readonly offeredPerSecond: number;
  /** while the migration ran */
  readonly donePerSecond: number;
  /** whether the migration ended in COMPLETED within the bound */
  readonly completed: boolean;
  /** COMPLETED, FAILED, or the phase in which the bound found it */
  readonly phase: string;
  readonly reason: string | undefined;
  /** from the start request to the end, or to the bound */
  readonly seconds: number;
  /** longest time that an operation took with its retries */
  readonly longestPauseMs: number;
  readonly gap: readonly GapPoint[];
}

export interface GapPoint {
  /** since the start request */
  readonly seconds: number;
  /** operations left to replay, of all shards */
  readonly operations: number;
}

/** What a migration leaves to the applications, without one and under either profile. */
export interface ApplicationsResult {
  readonly kind: 'applications';
  readonly documents: number;
  readonly sourceShards: number;
  readonly targetShards: number;
  readonly settings: Readonly<Record<Exclude<Condition, 'quiet'>, Profile>>;
  readonly searches: Rounds<SearchRun> & {
    readonly summary: Readonly<Record<Condition, ConditionSummary>>;
  };
  readonly writes: Rounds<WriteRun> & {
    readonly offeredPerSecond: number;
    readonly summary: Readonly<Record<Condition, WriteSummary>>;
  };
}

/** The writes of one condition in one round. */
export interface WriteRun {
  readonly condition: Condition;
  readonly round: number;
  readonly seconds: number;
  readonly offered: number;
  /** acknowledged */
  readonly done: number;
  /** attempts that were refused and tried again */
  readonly refused: number;
  readonly longestPauseMs: number;
  /** by the migration meanwhile; 0 without one */
  readonly documentsCopied: number;
}

export interface WriteSummary {
  readonly donePerSecond: Spread;
  /** done of offered */
  readonly share: Spread;
  /** of all rounds together */
  readonly refused: number;
  readonly longestPauseMs: number;
  readonly documentsCopiedPerSecond: number;
}
