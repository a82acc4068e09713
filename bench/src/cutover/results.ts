import type { Circumstances } from '../results';
import type { Habit, HabitFigures } from './habits';
import type { CallCounts } from './ledger';

/** One migration. Times in ms. */
export interface CutoverRun {
  readonly run: number;
  readonly calls: CallCounts;
  /** from the start request to COMPLETED, by the caller's clock */
  readonly endToEndMs: number;
  /** longest time an operation of an application took, with all its tries */
  readonly pauseMs: number;
  /** tries of applications that the write block refused */
  readonly refusedWrites: number;
  /** of clients of each habit; undefined: there were none */
  readonly habits?: Readonly<Record<Habit, HabitFigures>> | undefined;
  readonly clusterCpuSeconds: number;
  /** by the status' timestamps */
  readonly phaseMs: Readonly<Record<string, number>>;
}

/** Everything the benchmark found, as it is written to the results folder. */
export interface CutoverResult extends Circumstances {
  readonly kind: 'cutover';
  readonly documents: number;
  readonly sourceShards: number;
  readonly targetShards: number;
  /** of each cluster; undefined in older results: 1 */
  readonly nodes?: number;
  readonly rate: number;
  readonly roundTripMs: number;
  /** clients that kept the node busy; undefined in older results: none */
  readonly load?: number;
  /** migrations before the counted ones; undefined in older results: none */
  readonly warmUps?: number;
  /** writers were held before the block; undefined: they were not */
  readonly hold?: boolean;
  readonly runs: readonly CutoverRun[];
  /** the other build's, each right before or after the one of the same number */
  readonly beside?: { readonly commit: string; readonly runs: readonly CutoverRun[] };
}
