import type { ShardRecord, Snapshot } from '@aosc/contract';
import {
  alignRest,
  fieldsIndexedBy,
  isSnapshotOld,
  needsRound,
  type ReplayNeed,
  type ReplayPace,
  restOfConverged,
} from '@aosc/domain';
import type { PrimaryCheckpoint } from '../../ports/index-state-port';
import type { ShardContext } from '../context';

type Surroundings = Pick<ShardContext, 'migration' | 'clock' | 'timing'>;

/** The shard has a snapshot, no unfinished round, and no sweep to do. */
export function hasWholeSnapshot(
  record: ShardRecord,
): record is ShardRecord & { readonly snapshot: Snapshot } {
  const { snapshot, nextSnapshot, sweepPending } = record;
  return snapshot !== undefined && nextSnapshot === undefined && !sweepPending;
}

/**
 * Whether the shard needs a round. Without new operations since its snapshot it needs a round only to replace an old
 * snapshot. A few new operations need none yet: with so small a gap the shard counts as converged, and rests.
 */
export function isRoundDue(
  context: Surroundings,
  record: ShardRecord & { readonly snapshot: Snapshot },
  now: PrimaryCheckpoint,
): boolean {
  const { snapshot } = record;
  if (now.nodeId !== snapshot.nodeId || now.historyUuid !== snapshot.historyUuid) return true;
  const isNew =
    now.maxSeqNo !== snapshot.seenMaxSeqNo ||
    // operations were in flight when the snapshot was opened, so it may not show all of them
    snapshot.checkpoint < snapshot.seenMaxSeqNo;
  if (isNew && awaitsFieldsOf(context, snapshot)) return true;
  const need = needOf(context, record, Math.max(1, gapOf(snapshot, now)));
  return isNew ? needsRound(need, paceOf(context)) : isSnapshotOld(need);
}

/** Whether the cutover waits for this shard, because its copy may lack a document that has brought the source a field. */
function awaitsFieldsOf({ migration, clock }: Surroundings, { openedAtMillis }: Snapshot): boolean {
  return (
    migration.blockNearSinceMillis !== undefined && openedAtMillis < fieldsIndexedBy(migration, clock.now())
  );
}

/** How far the snapshot is behind its primary, in operations. */
export function gapOf(snapshot: Snapshot, now: PrimaryCheckpoint): number {
  return Math.max(0, now.maxSeqNo - Math.max(snapshot.checkpoint, snapshot.maxSeqNo));
}

/**
 * How long a converged shard rests before the next look, in milliseconds. Rests of seconds end at the same moments for
 * all shards, so that the shards share the requests of a look.
 * @param gap undefined: not known, because no started primary has answered; the next look comes soon
 * @param takenMs how long this look took: the rest is shorter by this
 */
export function restOf(
  context: Surroundings,
  record: ShardRecord,
  gap: number | undefined,
  takenMs: number,
): number {
  const { clock, timing } = context;
  const rest =
    gap === undefined
      ? timing.replayIntervalMs
      : restOfConverged(needOf(context, record, gap), paceOf(context));
  return alignRest(clock.now(), Math.max(0, rest - takenMs));
}

function needOf({ migration, clock }: Surroundings, record: ShardRecord, gap: number): ReplayNeed {
  return {
    gap,
    threshold: migration.options.convergenceThresholdPerShard,
    isBlockNear: migration.blockNearSinceMillis !== undefined,
    ageMs: Math.max(0, clock.now() - (record.snapshot?.openedAtMillis ?? 0)),
  };
}

/**
 * The least and the longest rest. The snapshot must not expire during a rest, so the longest is a part of its
 * keep-alive.
 */
function paceOf({ timing }: Surroundings): ReplayPace {
  const { replayIntervalMs, convergedRestMs, snapshotKeepAliveMs } = timing;
  return { leastMs: replayIntervalMs, longestMs: Math.min(convergedRestMs, snapshotKeepAliveMs / 4) };
}
