import type { ControllerSettings } from '@aosc/contract';

/** How often in a row the cluster has refused, and how long the shard paused for it. */
export interface BackoffState {
  /** doublings of the pause; falls by one with each success */
  readonly level: number;
  readonly consecutiveFailures: number;
  /** the last pause, jitter included */
  readonly pauseMs: number;
}

export const calm: BackoffState = { level: 0, consecutiveFailures: 0, pauseMs: 0 };

/**
 * The state after one more refusal. The pause is base, 2 base, 4 base, ... up to the longest one, plus up to a quarter
 * of it, so that shards that were refused together don't come back together.
 * @param random uniform in [0, 1)
 * @param counts false: the pause grows, but this is not counted as a failure
 */
export function escalate(
  state: BackoffState,
  { basePauseMs, maxPauseMs }: ControllerSettings['overload'],
  random: number,
  counts = true,
): BackoffState {
  const pauseMs = Math.min(basePauseMs * 2 ** state.level, maxPauseMs);
  return {
    level: state.level + 1,
    consecutiveFailures: state.consecutiveFailures + (counts ? 1 : 0),
    pauseMs: Math.round(pauseMs * (1 + 0.25 * random)),
  };
}

export function decay(state: BackoffState): BackoffState {
  return { ...state, level: Math.max(0, state.level - 1), consecutiveFailures: 0 };
}

/** Another bulk or read made progress: the row of failures ends, the pauses stay as long as they are. */
export function endRow(state: BackoffState): BackoffState {
  return { ...state, consecutiveFailures: 0 };
}
