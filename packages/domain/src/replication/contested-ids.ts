import { isQuiet } from '../shard/ownership';
import type { MigrationRecord, ShardRecord, Snapshot } from '@aosc/contract';
import { isCaughtUp } from '../phases';

/** So few because the shard's record is written with every heartbeat. More are no failure: see {@link Contested}. */
export const maxContestedIds = 1000;

/** Places in the target that more than one source shard has written to. */
export interface Contested {
  readonly ids: readonly string[];
  /** there may be more: too many, or nobody knows what a job that was broken off has met */
  readonly unknown: boolean;
}

/**
 * Whether documents of several source shards can come to lie in one place of the target, where it is known whose is
 * whose: in BULK_API a document's routing tells its source shard. With a transform that rewrites ids nothing does.
 */
export function sharesPlaces({
  shardRoutingMode,
  sourceShardCount,
  transform,
}: Pick<MigrationRecord, 'shardRoutingMode' | 'sourceShardCount' | 'transform'>): boolean {
  return shardRoutingMode === 'BULK_API' && sourceShardCount > 1 && transform?.rewritesIdentity !== true;
}

/** The record with these places as well. */
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

/** The target holds a final snapshot of the shard, and nothing is left to be done. */
export function isAtFinalSnapshot(record: ShardRecord, finalSeqNo: number): boolean {
  const { snapshot, nextSnapshot, sweepPending } = record;
  return (
    snapshot !== undefined &&
    nextSnapshot === undefined &&
    !sweepPending &&
    isFinalSnapshot(snapshot, finalSeqNo)
  );
}

/** A snapshot whose checkpoint is the final number shows every operation there will be, and none after it. */
export function isFinalSnapshot(
  snapshot: Pick<Snapshot, 'checkpoint' | 'seenMaxSeqNo'>,
  finalSeqNo: number,
): boolean {
  return snapshot.checkpoint === finalSeqNo && snapshot.seenMaxSeqNo === finalSeqNo;
}

export type ContestState =
  /** no document of this shard can be missing from the target: it needs not wait for the others */
  | { readonly type: 'settled' }
  /** another shard may still write over a document of this one */
  | { readonly type: 'wait' }
  /** everything is written; these places have to be looked at */
  | (Contested & { readonly type: 'check'; readonly documents: number });

/**
 * Under the write block, for a shard whose final snapshot is in the target: is it there to stay? Whatever begins under
 * the block writes documents that the source has, so only what began before it can lie over one of them.
 * @param shards all of the migration; those of which one is missing wait
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
      : { type: 'settled' };
  }
  const isDone = (shard: ShardRecord): boolean =>
    isCaughtUp(shard.phase) || isAtFinalSnapshot(shard, finalOf(shard));
  // What one of them has sent may come once more, over a document of this one.
  if (!others.every((shard) => isDone(shard) && isQuiet(shard.writer))) {
    return { type: 'wait' };
  }
  const documents = shards.reduce((sum, shard) => sum + documentsOf(shard), 0);
  return { type: 'check', ids, unknown, documents };
}

/** A round or a repair that was begun before the block and broken off writes what the source may no longer have. */
function hasWorkOfBefore(record: ShardRecord, finalSeqNo: number): boolean {
  const { phase, snapshot, nextSnapshot, sweepPending } = record;
  if (isCaughtUp(phase)) return false;
  if (snapshot === undefined || sweepPending) return true;
  return nextSnapshot !== undefined && !isFinalSnapshot(nextSnapshot, finalSeqNo);
}

function documentsOf({ finalDocumentCount, snapshot }: ShardRecord): number {
  return finalDocumentCount ?? snapshot?.documentCount ?? 0;
}
