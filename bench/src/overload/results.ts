import type { AoscRun, Circumstances } from '../results';

export const controllers = ['fixed', 'adaptive_batch', 'adaptive'] as const;
export type Controller = (typeof controllers)[number];

export interface OverloadRun extends AoscRun {
  readonly controller: Controller;
  /** tasks that the node refused because its queue for writes was full */
  readonly rejected: number;
}

/** Everything the benchmark found, as it is written to the results folder. */
export interface OverloadResult extends Circumstances {
  readonly kind: 'overload';
  readonly documents: number;
  readonly sourceShards: number;
  readonly targetShards: number;
  readonly rounds: number;
  readonly nodeSettings: Readonly<Record<string, string | number>>;
  readonly settings: Readonly<Record<string, string | number>>;
  /** one run of each controller, which no figure counts */
  readonly warmUp: readonly OverloadRun[];
  readonly runs: readonly OverloadRun[];
}
