import type { MigrationRecord, ShardRecord } from '@aosc/contract';
import { afterClosing, isTerminalPhase, leaseId, pitIdsToClose } from '@aosc/domain';

/** A snapshot, or several, of one source shard that its record still names. */
export interface HeldLease {
  readonly index: string;
  readonly shard: number;
  readonly leaseId: string;
  /** every later operation of the shard is kept for the migration */
  readonly retainingSeqNo: number;
  readonly pitIds: readonly string[];
}

/** What a shard's record says is held; undefined: nothing. */
export function heldLease(migration: MigrationRecord, shard: ShardRecord): HeldLease | undefined {
  const { snapshot, nextSnapshot } = shard;
  const open = [snapshot?.pitId, nextSnapshot?.pitId].filter((id) => id !== undefined);
  const pitIds = [...new Set([...open, ...pitIdsToClose(shard)])];
  if (pitIds.length === 0) return undefined;
  const seqNo = snapshot?.checkpoint ?? nextSnapshot?.checkpoint ?? shard.lastReplayedSeqNo;
  return {
    index: migration.sourceIndex,
    shard: shard.shard,
    leaseId: leaseId(migration.migrationId, shard.shard),
    retainingSeqNo: Math.max(0, seqNo),
    pitIds,
  };
}

/** Why a lease may not be closed; undefined: it may. */
export function refuseRelease(
  { migrationId, phase }: MigrationRecord,
  includeActive: boolean,
): string | undefined {
  if (isTerminalPhase(phase) || includeActive) return undefined;
  return (
    `migration [${migrationId}] is ${phase} and needs it: cancel the migration first, or add include_active=true, ` +
    'which makes the shard copy again from its last checkpoint'
  );
}

/**
 * The shard's record once its snapshots are closed. A migration that has not ended keeps the names of the snapshots it
 * works with: it must find them lost, because only the repair knows what has to be copied and swept again.
 * @param closed what was asked for. Snapshots that are not known to be closed stay listed, so that a later call tries
 * again
 */
export function withoutLease(
  migration: MigrationRecord,
  shard: ShardRecord,
  { asked, left, nowMillis }: { asked: readonly string[]; left: readonly string[]; nowMillis: number },
): ShardRecord {
  const isOver = isTerminalPhase(migration.phase);
  // A running migration itself closes the snapshot it works with.
  const listed = pitIdsToClose(shard);
  const toClose = isOver ? left : left.filter((id) => listed.includes(id));
  const after = afterClosing(shard, asked, toClose, nowMillis);
  if (!isOver) return after;
  const { snapshot: _closed, nextSnapshot: _next, ...rest } = after;
  return rest;
}
