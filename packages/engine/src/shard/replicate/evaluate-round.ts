import type { Snapshot } from '@aosc/contract';
import { documentKeyString } from '@aosc/domain';
import type { DocumentHead } from '../../ports/documents';
import { ShardFailedError } from '../errors';

type Before = ReadonlyMap<string, Pick<DocumentHead, 'version'>>;

/** @param before the same documents in the old snapshot, by `documentKeyString` */
export function evaluateChanged(heads: readonly DocumentHead[], before: Before) {
  return {
    /** keys of documents that the old snapshot does not have */
    created: heads.map(documentKeyString).filter((key) => !before.has(key)),
    /** a document has no higher version than its older state: it was made again, or the application sets its versions */
    mayComeOverItself: heads.some((head) => isNotHigher(head, before)),
  };
}

/** Whether the target would take a repeated bulk of the older state: `external_gte` refuses only lower versions. */
function isNotHigher(head: DocumentHead, before: Before): boolean {
  const old = before.get(documentKeyString(head));
  return old !== undefined && BigInt(head.version) <= BigInt(old.version);
}

export interface DeleteSearch {
  /** documents that were deleted, by count */
  readonly expected: number;
  /** about how many documents left their `_seq_no`, by deletes and updates: the width of the buckets depends on it */
  readonly differences: number;
  /** the search also looks where counts agree: after a change of primary equal counts prove nothing */
  readonly thorough: boolean;
}

/**
 * The counts of the two snapshots give exactly how many documents were deleted: each document of the new snapshot is
 * created, or was in the old one. Only if documents were deleted, a search finds out which.
 * @param counts documents that were written since the old snapshot, and how many of them that snapshot does not have
 * @returns undefined: nothing to search for
 * @throws ShardFailedError when the counts contradict each other
 */
export function planDeletes(
  { documentCount: before }: Pick<Snapshot, 'documentCount'>,
  { documentCount: after }: Pick<Snapshot, 'documentCount'>,
  { changed, created }: { readonly changed: number; readonly created: number },
  primaryChanged: boolean,
): DeleteSearch | undefined {
  const expected = before + created - after;
  // The snapshots are not of one history.
  if (expected < 0 || expected > before) {
    throw new ShardFailedError(
      `the snapshots contradict each other: ${before} documents before, ${created} created, ${after} after. ` +
        'Nothing was swapped; please report this',
    );
  }
  if (expected === 0 && !primaryChanged) return undefined;
  return { expected, differences: expected + changed - created, thorough: primaryChanged };
}

/** Whether the search has found as many as were deleted, and can't find more. */
export function isSearchOver({ expected, thorough }: DeleteSearch, found: number): boolean {
  return found === expected && !thorough;
}

/** @throws ShardFailedError when the search did not find as many as were deleted */
export function assertAllFound(shard: number, { expected }: DeleteSearch, found: number): void {
  if (found === expected) return;
  throw new ShardFailedError(
    `the snapshots of source shard [${shard}] contradict each other: ${expected} documents were ` +
      `deleted between them by count, ${found} by comparison. Nothing was swapped; please report this`,
  );
}

/** @throws ShardFailedError when fewer or more documents were read to be written than were counted */
export function assertAllRead(shard: number, counted: number, read: number): void {
  if (read !== counted) throw unread(shard, counted, read);
}

/**
 * @param seqNos of documents that were read to be written; several documents can share a number
 * @throws ShardFailedError when fewer were read than there are numbers
 */
export function assertEachRead(shard: number, seqNos: readonly number[], read: number): void {
  const counted = new Set(seqNos).size;
  if (read < counted) throw unread(shard, counted, read);
}

function unread(shard: number, counted: number, read: number): ShardFailedError {
  return new ShardFailedError(
    `a snapshot of source shard [${shard}] contradicts itself: ${counted} changed documents by count, ${read} were ` +
      'read to be written. Nothing was swapped; please report this',
  );
}
