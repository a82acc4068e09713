import { isQuiet } from '../shard/ownership';
import type { MigrationRecord, ShardRecord, Snapshot } from '@aosc/contract';
import { isCaughtUp } from '../phases';

/**
 * The limit is low because every heartbeat writes the shard's record. More ids are no failure: see {@link Contested}.
 */
export const maxContestedIds = 1000;

/** Places in the target that more than one source shard has written to. */
export interface Contested {
  readonly ids: readonly string[];
  /** there may be more: too many to list, or those that an interrupted job has met */
  readonly unknown: boolean;
}

/**
 * Whether documents of several source shards can get the same place in the target while it is known whose is whose: in
 * BULK_API a document's routing shows its source shard. Where a transform rewrites ids, nothing shows it.
 */
export function sharesPlaces({
  shardRoutingMode,
  sourceShardCount,
  transform,
}: Pick<MigrationRecord, 'shardRoutingMode' | 'sourceShardCount' | 'transform'>): boolean {
  return shardRoutingMode === 'BULK_API' && sourceShardCount > 1 && transform?.rewritesIdentity !== true;
}

/** The record with these places added. */
export function withContested(record: ShardRecord, { ids, unknown }: Contested): ShardRecord {
  const all = [...new Set([...(record.contestedIds ?? []), ...ids])];
  const isMore = unknown || all.length > maxContestedIds || record.contestedUnknown === true;
  if (all.length === 0 && !isMore) return record;
  return {
    ...record,
    ...(all.length === 0 ? {} : { contestedIds: all.slice(0, maxContestedIds) }),
    ...(isMore ? { contestedUnknown: true } : {}),
  };
}

/** The target holds a final snapshot of the shard, and no work is left. */
export function isAtFinalSnapshot(record: ShardRecord, finalSeqNo: number): boolean {
  const { snapshot, nextSnapshot, sweepPending } = record;
  return (
    snapshot !== undefined &&
    nextSnapshot === undefined &&
    !sweepPending &&
    isFinalSnapshot(snapshot, finalSeqNo)
  );
}

/** A snapshot whose checkpoint is the final number contains every operation that will be, and none after it. */
export function isFinalSnapshot(
  snapshot: Pick<Snapshot, 'checkpoint' | 'seenMaxSeqNo'>,
  finalSeqNo: number,
): boolean {
  return snapshot.checkpoint === finalSeqNo && snapshot.seenMaxSeqNo === finalSeqNo;
}

export type ContestState =
  /** no document of this shard can be missing from the target: it need not wait for the others */
  | { readonly type: 'complete' }
  /** another shard may still write over a document of this one */
  | { readonly type: 'wait' }
  /** everything is written; these places need a look */
  | (Contested & { readonly type: 'check'; readonly documents: number });

/**
 * Under the write block, for a shard whose final snapshot is in the target: will its documents stay there? Work that
 * starts under the block writes documents that the source has, so only older work can write over them.
 * @param shards all of the migration; if one is missing, the shard waits
 * @param self the shard that asks, which is at its final snapshot
 */
export function evaluateContest(
  shards: readonly ShardRecord[],
  self: number,
  { sourceShardCount, finalSeqNos }: Pick<MigrationRecord, 'sourceShardCount' | 'finalSeqNos'>,
): ContestState {
  if (shards.length !== sourceShardCount) return { type: 'wait' };
  const others = shards.filter(({ shard }) => shard !== self);
  const finalOf = ({ shard }: ShardRecord): number => finalSeqNos?.[String(shard)] ?? NaN;
  const ids = [...new Set(shards.flatMap(({ contestedIds = [] }) => contestedIds))];
  const unknown = shards.some(({ contestedUnknown }) => contestedUnknown === true);
  if (ids.length === 0 && !unknown) {
    return others.some((shard) => hasWorkOfBefore(shard, finalOf(shard)))
      ? { type: 'wait' }
      : { type: 'complete' };
  }
  const isDone = (shard: ShardRecord): boolean =>
    isCaughtUp(shard.phase) || isAtFinalSnapshot(shard, finalOf(shard));
  // A bulk that another shard has sent may still be executed, over a document of this shard.
  if (!others.every((shard) => isDone(shard) && isQuiet(shard.writer))) {
    return { type: 'wait' };
  }
  const documents = shards.reduce((sum, shard) => sum + documentsOf(shard), 0);
  return { type: 'check', ids, unknown, documents };
}

/** A round or repair that started before the block and was interrupted writes what the source may no longer have. */
function hasWorkOfBefore(record: ShardRecord, finalSeqNo: number): boolean {
  const { phase, snapshot, nextSnapshot, sweepPending } = record;
  if (isCaughtUp(phase)) return false;
  if (snapshot === undefined || sweepPending) return true;
  return nextSnapshot !== undefined && !isFinalSnapshot(nextSnapshot, finalSeqNo);
}

/** What the target should hold of the shard. */
function documentsOf({ finalDocumentCount, snapshot, setAside = [] }: ShardRecord): number {
  return (finalDocumentCount ?? snapshot?.documentCount ?? 0) - setAside.length;
}
