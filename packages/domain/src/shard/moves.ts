import type { Counters, ShardRecord, Snapshot } from '@aosc/contract';
import {
  beginCounters,
  changeCounters,
  completeCounters,
  type CounterName,
  failCounters,
  withGap,
} from './counters';
import { withSnapshotsGivenUp } from './late-closes';
import { IllegalTransitionError } from '../migration/transitions';
import { isQuiet, revokeWriter } from './ownership';
import { leadsShardTo, moveShard } from './transitions';

/**
 * All that is written into a shard's record when the shard changes its phase, or begins and ends a round. After a lost
 * answer a session makes its change again, perhaps on a record that has the change already. So a change that a session
 * makes leaves a record in a later phase as it is.
 */

/** PENDING → ACQUIRING_LEASE: a backfill begins, or goes on. */
export function beginCopy(record: ShardRecord, nowMillis: number): ShardRecord {
  const begun = beginCounters(record, 'backfill', nowMillis);
  return begun.phase === 'PENDING' ? moveShard(begun, 'PENDING', 'ACQUIRING_LEASE', nowMillis) : begun;
}

/** ACQUIRING_LEASE → BACKFILLING: the shard has a snapshot to copy. After the loss of a snapshot the phase stays. */
export function holdSnapshot(record: ShardRecord, snapshot: Snapshot, nowMillis: number): ShardRecord {
  const held: ShardRecord = {
    ...record,
    snapshot,
    historyUuid: snapshot.historyUuid,
    backfillCutoffSeqNo: record.backfillCutoffSeqNo < 0 ? snapshot.checkpoint : record.backfillCutoffSeqNo,
    targetSeqNo: snapshot.checkpoint,
    copy: record.copy ?? { fromSeqNo: 0, watermark: 0, documents: 0 },
  };
  if (record.backfill?.status !== 'IN_PROGRESS') return held;
  const measured = { ...held, progress: { totalDocuments: snapshot.documentCount } };
  if (record.phase !== 'ACQUIRING_LEASE') return measured;
  const counted = changeCounters(measured, 'backfill', { currentGap: snapshot.documentCount });
  return moveShard(counted, 'ACQUIRING_LEASE', 'BACKFILLING', nowMillis);
}

/** BACKFILLING → CONVERGING: the snapshot is copied. */
export function endCopy(record: ShardRecord, nowMillis: number): ShardRecord {
  if (record.phase !== 'BACKFILLING') return record;
  const counted = changeCounters(record, 'backfill', { currentGap: 0 });
  return moveShard(completeCounters(counted, 'backfill', nowMillis), 'BACKFILLING', 'CONVERGING', nowMillis);
}

/**
 * A snapshot is lost. The copy resumes at the lower of the watermark and the lost snapshot's checkpoint + 1: when the
 * lost snapshot was opened, operations above its checkpoint were still in flight, and a new snapshot may show such
 * operations below the watermark. A sweep follows.
 */
export function loseSnapshot(record: ShardRecord): ShardRecord {
  const { snapshot, copy } = record;
  const done = copy?.watermark ?? 0;
  const resumeAt = snapshot === undefined ? done : Math.min(done, snapshot.checkpoint + 1);
  const counted = {
    ...withSnapshotsGivenUp(record),
    snapshotsLost: record.snapshotsLost + 1,
    lossesInARow: (record.lossesInARow ?? 0) + 1,
  };
  return copyAgain(counted, resumeAt);
}

/** A round begins: the record names its snapshot before anything is written from it. */
export function beginRound(
  record: ShardRecord,
  { next, counters, gap }: { readonly next: Snapshot; readonly counters: CounterName; readonly gap: number },
  nowMillis: number,
): ShardRecord {
  const begun = beginCounters({ ...record, nextSnapshot: next }, counters, nowMillis);
  return changeCounters(begun, counters, { currentGap: gap });
}

export interface EndedRound {
  /** the snapshot that the target held before */
  readonly old: Pick<Snapshot, 'pitId'>;
  /** the snapshot that the target holds now */
  readonly next: Snapshot;
  readonly counters: CounterName;
  readonly upserts: number;
  readonly deletes: number;
  /** of all rounds that these counters count */
  readonly bulkRetries: number;
  readonly roundMs: number;
}

/** A round has ended: the target holds the next snapshot, and the old one is to be closed. */
export function endRound(record: ShardRecord, round: EndedRound, nowMillis: number): ShardRecord {
  const { next, counters, upserts, deletes } = round;
  const { nextSnapshot: _done, lossesInARow: _repaired, ...rest } = record;
  const moved: ShardRecord = {
    ...rest,
    snapshot: next,
    roundMs: round.roundMs,
    lastReplayedSeqNo: Math.max(next.checkpoint, record.lastReplayedSeqNo),
    closingPitIds: [...record.closingPitIds, round.old.pitId],
    ...(record.copy === undefined ? {} : { copy: { ...record.copy, watermark: next.maxSeqNo + 1 } }),
  };
  const add = ({ rounds, operationsApplied = 0, deletesApplied = 0 }: Counters): Partial<Counters> => ({
    rounds: rounds + 1,
    operationsApplied: operationsApplied + upserts + deletes,
    deletesApplied: deletesApplied + deletes,
    bulkRetries: round.bulkRetries,
  });
  return changeCounters(beginCounters(moved, counters, nowMillis), counters, add);
}

/** What a look at the primary has found, after a round or in place of one. */
export interface GapLook {
  readonly gap: number;
  /** of the primary */
  readonly globalCheckpoint: number;
  /** whether the gap lets a shard converge */
  readonly converges: boolean;
  /** the look took the place of a round: none was due */
  readonly isInsteadOfRound: boolean;
}

/** CONVERGING → CONVERGED, where the gap is small enough. In any case the record notes the gap. */
export function noteGap(record: ShardRecord, look: GapLook, nowMillis: number): ShardRecord {
  const counted = look.isInsteadOfRound ? countEmptyReplay(record, nowMillis) : record;
  const noted = {
    ...completeCounters(withGap(counted, look.gap), 'replay', nowMillis),
    targetSeqNo: look.globalCheckpoint,
  };
  if (!look.converges && record.phase !== 'CONVERGED') return noted;
  // Changes nothing where these counters have not begun: a shard that converged in its first round begins them later.
  const converged = completeCounters(noted, 'convergence', nowMillis);
  return record.phase === 'CONVERGING'
    ? moveShard(converged, 'CONVERGING', 'CONVERGED', nowMillis)
    : converged;
}

/**
 * Counts the look as the first replay round of a shard that needed no round, because its source had few or no writes
 * since the copy began. Later rounds bring these writes.
 */
function countEmptyReplay(
  { lossesInARow: _repaired, ...record }: ShardRecord,
  nowMillis: number,
): ShardRecord {
  if (record.replay !== undefined) return record;
  const counted = changeCounters(beginCounters(record, 'replay', nowMillis), 'replay', { rounds: 1 });
  return {
    ...counted,
    lastReplayedSeqNo: Math.max(record.snapshot?.checkpoint ?? -1, record.lastReplayedSeqNo),
  };
}

/** CONVERGED → CATCHING_UP, written with the claim. In another phase the record stays as it is. */
export function beginCatchUp(record: ShardRecord, nowMillis: number): ShardRecord {
  if (record.phase !== 'CONVERGED') return record;
  // A job that died between its first round after the convergence and the look at the gap has left these counters
  // running.
  const converged = completeCounters(record, 'convergence', nowMillis);
  return beginCounters(moveShard(converged, 'CONVERGED', 'CATCHING_UP', nowMillis), 'catchingUp', nowMillis);
}

/**
 * CATCHING_UP → COMPLETING: the target holds the final snapshot.
 * @param unclosed points in time that no record names yet
 */
export function endCatchUp(
  record: ShardRecord,
  { finalSeqNo, unclosed }: { readonly finalSeqNo: number; readonly unclosed: readonly string[] },
  nowMillis: number,
): ShardRecord {
  const { snapshot } = record;
  // A round that did not converge has left its gap in the counters: the gap is 0 now.
  const counted = (['replay', 'convergence', 'catchingUp'] as const)
    .filter((name) => record[name] !== undefined)
    .reduce((changed, name) => changeCounters(changed, name, { currentGap: 0 }), record);
  const done = {
    ...completeCounters(counted, 'catchingUp', nowMillis),
    lastReplayedSeqNo: finalSeqNo,
    targetSeqNo: finalSeqNo,
    closingPitIds: [...record.closingPitIds, ...unclosed],
    ...(snapshot === undefined ? {} : { finalDocumentCount: snapshot.documentCount }),
  };
  return moveShard(done, 'CATCHING_UP', 'COMPLETING', nowMillis);
}

/**
 * CATCHING_UP or COMPLETING → CONVERGING, for an undone cutover: the shard has no owner, and its replay goes on from the
 * snapshot of the last round. If that snapshot was closed because the attempt took long, only a number still tells what
 * the target holds of the shard. So the copy resumes at that number, and a sweep follows, which compares the whole
 * shard with the target. In another phase the record stays as it is.
 */
export function bringBack(record: ShardRecord, nowMillis: number): ShardRecord {
  const { phase } = record;
  if (phase !== 'CATCHING_UP' && phase !== 'COMPLETING') return record;
  // What was found under this block need not hold under the next.
  const {
    finalDocumentCount: _final,
    sharedPlaces: _shared,
    ...back
  } = moveShard(revokeWriter(record), phase, 'CONVERGING', nowMillis);
  if (phase === 'CATCHING_UP' || record.snapshot !== undefined) return back;
  return copyAgain(back, Math.min(record.copy?.watermark ?? 0, record.lastReplayedSeqNo + 1));
}

/** The copy resumes at a number, and a sweep follows. */
function copyAgain(record: ShardRecord, resumeAt: number): ShardRecord {
  const documents = record.copy?.documents ?? 0;
  return { ...record, sweepPending: true, copy: { fromSeqNo: resumeAt, watermark: resumeAt, documents } };
}

/** COMPLETING → COMPLETED, after the swap: nothing of the shard is open any more. */
export function completeShard(record: ShardRecord, nowMillis: number): ShardRecord {
  return moveShard(record, 'COMPLETING', 'COMPLETED', nowMillis);
}

/** → FAILING, with the reason. @throws IllegalTransitionError when the shard has ended, or is failing already */
export function failShard(record: ShardRecord, error: string, nowMillis: number): ShardRecord {
  const { phase } = record;
  if (!leadsShardTo(phase, 'FAILING')) {
    throw new IllegalTransitionError(`shard ${record.shard}`, phase, 'FAILING');
  }
  return failCounters(moveShard({ ...record, error }, phase, 'FAILING', nowMillis), nowMillis);
}

/**
 * Takes the shard away from its worker and ends it: the failed shard ends FAILED, the others CANCELLED. After the swap
 * a shard whose work is done ends COMPLETED.
 * @returns undefined: it has ended already
 */
export function endShard(
  record: ShardRecord,
  committed: boolean,
  nowMillis: number,
): ShardRecord | undefined {
  const { phase } = record;
  if (phase === 'FAILING') return moveShard(takeAway(record, nowMillis), phase, 'FAILED', nowMillis);
  if (committed && phase === 'COMPLETING') {
    return moveShard(takeAway(record, nowMillis), phase, 'COMPLETED', nowMillis);
  }
  if (!leadsShardTo(phase, 'CANCELLED')) return undefined;
  return moveShard(takeAway(record, nowMillis), phase, 'CANCELLED', nowMillis);
}

/** Lists the snapshots of the shard's worker to be closed, and leaves the shard without an owner. */
function takeAway(record: ShardRecord, nowMillis: number): ShardRecord {
  const given = withSnapshotsGivenUp(revokeWriter(record));
  // Every shard that was taken away counts as in doubt from now on. A later part of the abort waits for the nodes that
  // a shard names, so a shard that was not in doubt must name none.
  const writer = isInDoubt(record) ? given.writer : { ...given.writer, nodes: [] };
  return failCounters({ ...given, writer }, nowMillis);
}

/**
 * Whether a node may still carry out a bulk of the shard. A worker that handed its shard back knew the outcome of every
 * bulk. But a node may carry out an answered bulk a second time, and the next migration may have the same target.
 */
export function isInDoubt({ writer }: ShardRecord): boolean {
  return writer.owner !== undefined || !writer.fenceReady || !isQuiet(writer);
}
