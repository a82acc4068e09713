import type { ShardRecord } from '@aosc/contract';

/**
 * What became of a shard's owner, as one observer sees it. `silent`: its record does not change. `stuck`: it beats, but
 * the cluster answers none of its requests.
 */
export type OwnerVerdict = 'alive' | 'silent' | 'stuck';

/** How long a state has lasted, in milliseconds of the observer's own clock that never jumps. */
export interface OwnerObservation {
  readonly hasOwner: boolean;
  /** the record has not changed */
  readonly silentMs: number;
  /** no request of the work was answered; undefined: the owner does not report it (an older version) */
  readonly idleMs: number | undefined;
}

export interface LivenessLimits {
  readonly timeoutMs: number;
  readonly requestTimeoutMs: number;
}

/**
 * Whether another owner has to replace this one. One request may take as long as its time-out allows and still be
 * answered, and so may the next one: a shorter limit would take slow work for none.
 */
export function evaluateOwner(
  observation: OwnerObservation,
  { timeoutMs, requestTimeoutMs }: LivenessLimits,
): OwnerVerdict {
  if (!observation.hasOwner) return 'alive';
  if (observation.silentMs >= timeoutMs) return 'silent';
  const patienceMs = Math.max(timeoutMs, 2 * requestTimeoutMs);
  return observation.idleMs !== undefined && observation.idleMs >= patienceMs ? 'stuck' : 'alive';
}

/**
 * The part of a shard's work that outlives its owner, as a text that changes whenever the work has come further. A
 * beat, a counter of requests and an opened snapshot are not part of it.
 */
export function progressMark(record: ShardRecord): string {
  const { phase, copy, lastReplayedSeqNo, sweepPending, replay, convergence, catchingUp } = record;
  const rounds = [replay, convergence, catchingUp].map((counters) => counters?.rounds ?? 0);
  return [phase, copy?.watermark, copy?.documents, lastReplayedSeqNo, sweepPending, ...rounds].join(' ');
}

/** One more owner was lost, and the work has come no further since the loss before. */
export function countLostOwner(record: ShardRecord, how: Exclude<OwnerVerdict, 'alive'>): ShardRecord {
  return { ...record, ownersLost: { count: (record.ownersLost?.count ?? 0) + 1, last: how } };
}

/** The work has come further, or an owner has done its part to the end: earlier losses do not count. */
export function forgetLostOwners(record: ShardRecord): ShardRecord {
  if (record.ownersLost === undefined) return record;
  const { ownersLost: _forgotten, ...rest } = record;
  return rest;
}

/** A worker may die for reasons of its own (an update, a drained node); a worker that hangs has no such reason. */
const mostLost = { silent: 10, stuck: 3 } as const;

/**
 * Owner after owner was lost without progress: another would not get further either.
 * @param unchangedMs for how long the observer has seen no progress
 */
export function isGivenUp(
  { ownersLost }: Pick<ShardRecord, 'ownersLost'>,
  unchangedMs: number,
  timeoutMs: number,
): boolean {
  return (
    ownersLost !== undefined && ownersLost.count >= mostLost[ownersLost.last] && unchangedMs >= timeoutMs
  );
}

/** Why the service gives the shard up, for people. The text starts as the original service's reason does. */
export function describeGivenUp({ ownersLost, phase }: ShardRecord, timeoutMs: number): string {
  const { count = 0, last = 'silent' } = ownersLost ?? {};
  const seen =
    last === 'stuck'
      ? 'the last one was alive, but the cluster answered none of its requests. Look for read_retry and overload in the ' +
        "workers' logs, and at the nodes that hold the shard and the target"
      : "the last one showed no life any more. Look into the workers' logs for what ends them";
  return (
    `heartbeat timeout after ${describeDuration(timeoutMs)}: ${count} workers in a row were lost in ${phase} ` +
    `without any progress; ${seen}`
  );
}

/** In the largest unit that is whole, as the settings write it. */
function describeDuration(ms: number): string {
  if (ms % 60_000 === 0) return `${ms / 60_000}m`;
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}
