import type { ShardWork } from './work';
import {
  compareSnapshotIdentity,
  documentKeyString,
  expectedDeletes,
  InconsistentSnapshotsError,
  sharesPlaces,
} from '@aosc/domain';
import type { Snapshot } from '@aosc/contract';
import type { DocumentHead, DocumentKey, RawDocument } from '../../ports/documents';
import type { Page, Selection } from '../../ports/snapshot-port';
import { ShardFailedError } from '../errors';
import { findDifferences } from './find-deletes';
import { inChunks } from '../read/chunks';
import { awaitQuiet } from '../fence/quiet';
import type { ShardSession } from '../session/shard-session';
import type { ShardWriter } from '../write/shard-writer';
import { findLeftPlaces, targetPlacesOf, rewritesIdentity } from '../write/transform';
import { readPages } from '../read/pages';
import { findPresent, readHeads } from '../read/heads';

export interface RoundResult {
  readonly upserts: number;
  readonly deletes: number;
}

const deletesPerBatch = 1000;
const seqNosPerQuery = 1000;
/** Keys of new documents that a round keeps in mind; of more the old snapshot is asked again. */
const maxNewKept = 20_000;

/**
 * Drives the target from snapshot `old` to snapshot `next`: afterwards it holds exactly `next`.
 *
 * How many documents were deleted is known exactly from the source side alone; which ones is searched for only
 * when there are any, and the search must find that number. Deletes go before upserts, because an upsert may
 * re-create an id under another routing. Everything here can be repeated from the start with the same two
 * snapshots, so a round that was broken off is run again.
 * @throws SnapshotLostError when one of the two is gone
 * @throws ShardFailedError when the snapshots contradict each other, or are not of the same index
 */
export async function replayRound(work: ShardWork, old: Snapshot, next: Snapshot): Promise<RoundResult> {
  const { session, writer } = work;
  const { clusterUuid } = session.context.migration;
  const relation = compareSnapshotIdentity({ ...old, clusterUuid }, { ...next, clusterUuid });
  if (typeof relation === 'object') {
    throw new ShardFailedError(`the source is not the one the copy began with: ${relation.replaced}`);
  }
  const primaryChanged = relation === 'primary_changed';
  const changes: Selection = { kind: 'range', from: old.checkpoint + 1, to: next.maxSeqNo + 1 };

  const { changed, created, newKeys, mayComeOverItself } = await countChanges(session, old, next, changes);
  // The first page of the upserts is read while the deletes are searched for.
  const pages = changed === 0 ? undefined : readPages(session, next, changes);
  const expected = countDeletes(old, next, created);
  watchNewDocuments({ session, writer, old }, primaryChanged ? undefined : newKeys);
  let deletes = 0;
  if (expected > 0 || primaryChanged) {
    const differences = expected + changed - created;
    // It goes on while the deletes are searched for; the first of them waits for it.
    const quiet = awaitQuiet(session);
    if (primaryChanged) await quiet;
    else quiet.catch(() => undefined);
    deletes = await replayDeletes(work, {
      old,
      next,
      expected,
      differences,
      primaryChanged,
    });
  }
  if (changed > 0 && rewritesIdentity(session)) await leavePlaces(work, old, next, changes);
  if (mayComeOverItself) await awaitQuiet(session);
  const upserts = pages === undefined ? 0 : await replayUpserts(writer, pages, next);
  writer.targetConflicts.watchNewDocuments(undefined);
  if (upserts !== changed) throw unread(session, changed, upserts);
  session.context.metrics.operationsReplayed('delete', deletes);
  session.context.metrics.operationsReplayed('upsert', upserts);
  return { upserts, deletes };
}

function countDeletes(old: Snapshot, next: Snapshot, created: number): number {
  try {
    return expectedDeletes({ before: old.documentCount, created, after: next.documentCount });
  } catch (error) {
    if (error instanceof InconsistentSnapshotsError)
      throw new ShardFailedError(error.message, { cause: error });
    throw error;
  }
}

interface Changes {
  readonly changed: number;
  readonly created: number;
  /** which ones were created; undefined: too many to keep */
  readonly newKeys: ReadonlySet<string> | undefined;
  /** one of them has no higher version than its older state: made again, or written with a version of the application's */
  readonly mayComeOverItself: boolean;
}

/**
 * How many documents were written since the old snapshot, and how many of them it does not have. Costs as much
 * as the gap, not as the shard.
 */
async function countChanges(
  session: ShardSession,
  old: Snapshot,
  next: Snapshot,
  changes: Selection,
): Promise<Changes> {
  let changed = 0;
  let created = 0;
  let mayComeOverItself = false;
  const keep = sharesPlaces(session.context.migration);
  const newKeys = new Set<string>();
  if (changes.kind === 'range' && changes.from >= changes.to)
    return { changed, created, newKeys, mayComeOverItself };
  for await (const heads of readHeads(session, next, changes)) {
    const before = await findPresent(session, old, heads);
    changed += heads.length;
    const absent = heads.map(documentKeyString).filter((key) => !before.has(key));
    mayComeOverItself ||= heads.some((head) => isNotHigher(head, before));
    created += absent.length;
    if (keep && created <= maxNewKept) for (const key of absent) newKeys.add(key);
  }
  return { changed, created, newKeys: newKeys.size === created ? newKeys : undefined, mayComeOverItself };
}

/** The target takes an older state of such a document for a newer one: `external_gte` lets an equal version pass. */
function isNotHigher(head: DocumentHead, before: ReadonlyMap<string, string>): boolean {
  const version = before.get(documentKeyString(head));
  return version !== undefined && BigInt(head.version) <= BigInt(version);
}

/**
 * Where other source shards write to the same places, a document that the old snapshot does not have must find its place
 * empty. After a change of primary there are others than those counted, so the old snapshot is asked.
 */
function watchNewDocuments(
  { session, writer, old }: { session: ShardSession; writer: ShardWriter; old: Snapshot },
  newKeys: ReadonlySet<string> | undefined,
): void {
  if (newKeys?.size === 0 || !sharesPlaces(session.context.migration)) return;
  writer.targetConflicts.watchNewDocuments(async (keys) => {
    if (newKeys !== undefined) return keys.filter((key) => newKeys.has(documentKeyString(key)));
    const present = await findPresent(session, old, keys);
    return keys.filter((key) => !present.has(documentKeyString(key)));
  });
}

function unread({ context }: ShardSession, counted: number, read: number): ShardFailedError {
  return new ShardFailedError(
    `a snapshot of source shard [${context.shard}] contradicts itself: ${counted} changed documents by count, ${read} were ` +
      'read to be written. Nothing was swapped; please report this',
  );
}

interface DeleteSearch {
  readonly old: Snapshot;
  readonly next: Snapshot;
  readonly expected: number;
  /** how many documents left their number: deletes and updates */
  readonly differences: number;
  readonly primaryChanged: boolean;
}

async function replayDeletes(
  work: ShardWork,
  { old, next, expected, differences, primaryChanged }: DeleteSearch,
): Promise<number> {
  const { session, writer } = work;
  let found = 0;
  let batch: DocumentKey[] = [];
  const flush = async (): Promise<void> => {
    await writer.deleteDocuments(await targetPlacesOf(session, old, batch));
    batch = [];
  };
  for await (const difference of findDifferences(session, old, next, {
    differences,
    thorough: primaryChanged,
  })) {
    found += difference.deleted.length;
    batch.push(...difference.deleted);
    if (batch.length >= deletesPerBatch) await flush();
    if (difference.appeared.length > 0) await rewrite(work, { old, next }, difference.appeared);
    if (found === expected && !primaryChanged) break;
  }
  await flush();
  if (found !== expected) {
    throw new ShardFailedError(
      `the snapshots of source shard [${session.context.shard}] contradict each other: ${expected} documents were ` +
        `deleted between them by count, ${found} by comparison. Nothing was swapped; please report this`,
    );
  }
  return found;
}

/** Documents that another primary brought in at numbers the old snapshot had already passed. */
async function rewrite(
  work: ShardWork,
  { old, next }: { readonly old: Snapshot; readonly next: Snapshot },
  seqNos: readonly number[],
): Promise<void> {
  const { session, writer } = work;
  const write = async (part: readonly number[]): Promise<void> => {
    const selection: Selection = { kind: 'seq_nos', seqNos: part };
    if (rewritesIdentity(session)) await leavePlaces(work, old, next, selection);
    const read = await replayUpserts(writer, readPages(session, next, selection), next);
    const counted = new Set(part).size; // several documents can share a number
    if (read < counted) throw unread(session, counted, read);
  };
  const parts = inChunks(seqNos, seqNosPerQuery, write);
  while ((await parts.next()).done !== true);
}

/**
 * Takes changed documents away from where they were, if a transform now puts them elsewhere. Before any of them is
 * written: one may go where another one was.
 */
async function leavePlaces(
  work: ShardWork,
  old: Snapshot,
  next: Snapshot,
  changes: Selection,
): Promise<void> {
  const { session, writer } = work;
  for await (const page of readPages(session, next, changes)) {
    await writer.deleteDocuments(await findLeftPlaces(session, old, page.documents));
  }
}

async function replayUpserts(
  writer: ShardWriter,
  pages: AsyncIterable<Page<RawDocument>>,
  next: Snapshot,
): Promise<number> {
  let upserts = 0;
  for await (const page of pages) {
    await writer.writeDocuments(page.documents, next);
    upserts += page.documents.length;
  }
  return upserts;
}
