/** How far behind its source a converged shard may fall before the next round; counts are operations. */
const restingGap = 500;
/** Shortly before the write block: the rest is replayed under it. */
const gapBeforeBlock = 50;
/**
 * A snapshot keeps files of merged segments on disk: after so many rests without a round the shard replaces it all the
 * same.
 */
const restsPerSnapshot = 6;
/** Merges go on after the last write, so the shard also replaces a snapshot that keeps their files for this long. */
const oldestSnapshotMs = 3_600_000;

export interface ReplayNeed {
  /** operations that the source has and the snapshot lacks */
  readonly gap: number;
  /** the contract's `convergence_threshold_per_shard`: a converged shard stays this close */
  readonly threshold: number;
  /** the scheduler prepares the write block */
  readonly isBlockNear: boolean;
  /** of the snapshot */
  readonly ageMs: number;
}

/**
 * Least and greatest time between two looks at a converged shard, in milliseconds. When they are equal, each look finds
 * a need.
 */
export interface ReplayPace {
  readonly leastMs: number;
  readonly longestMs: number;
}

/**
 * Whether a converged shard needs a round. Until the write block is near there is no reason for a gap of zero: a round
 * costs some thirty requests, whether two documents have changed or two hundred.
 */
export function needsRound(need: ReplayNeed, { leastMs, longestMs }: ReplayPace): boolean {
  if (need.gap <= 0) return false;
  return longestMs <= leastMs || need.gap > wantedGap(need) || need.ageMs >= restsPerSnapshot * longestMs;
}

/** Whether a snapshot keeps files on disk for too long, even if nothing was written to its shard since. */
export function isSnapshotOld({ ageMs }: Pick<ReplayNeed, 'ageMs'>): boolean {
  return ageMs >= oldestSnapshotMs;
}

/**
 * How long a converged shard rests, in milliseconds: until it is expected to need a round, at the rate at which it has
 * fallen behind so far.
 */
export function restOfConverged(need: ReplayNeed, { leastMs, longestMs }: ReplayPace): number {
  if (longestMs <= leastMs) return leastMs;
  if (need.gap <= 0) return longestMs;
  const left = wantedGap(need) - need.gap;
  const operationsPerMs = need.gap / Math.max(1, need.ageMs);
  return Math.min(Math.max(left / operationsPerMs, leastMs), longestMs);
}

/** Rests of at least this many steps end at a step that all processes share. */
const stepsToAlign = 4;
const stepMs = 500;

/**
 * Makes rests that started at different times end together. Short rests stay as they are.
 * @param nowMillis epoch milliseconds, on which the processes agree
 * @returns ms, longer than requested by less than a step
 */
export function alignRest(nowMillis: number, restMs: number): number {
  if (restMs < stepsToAlign * stepMs) return restMs;
  return Math.ceil((nowMillis + restMs) / stepMs) * stepMs - nowMillis;
}

/** Whether what is left to replay under the write block is as little as rounds can make it. */
export function isCloseForBlock(gap: number, threshold: number): boolean {
  return gap <= Math.min(threshold, gapBeforeBlock);
}

function wantedGap({ threshold, isBlockNear }: ReplayNeed): number {
  return Math.min(threshold, isBlockNear ? gapBeforeBlock : restingGap);
}
