import type { ShardWork } from './work';
import { writePages } from './write-pages';
import { compareSnapshotIdentity, documentKeyString, sharesPlaces } from '@aosc/domain';
import type { Snapshot } from '@aosc/contract';
import type { DocumentKey } from '../../ports/documents';
import type { Selection } from '../../ports/snapshot-port';
import { ShardFailedError } from '../errors';
import {
  assertAllFound,
  assertAllRead,
  assertEachRead,
  type DeleteSearch,
  evaluateChanged,
  isSearchOver,
  planDeletes,
} from './evaluate-round';
import { type DifferenceSearch, findDifferences } from './find-deletes';
import { inChunks } from '../read/chunks';
import { awaitQuiet } from '../fence/quiet';
import type { ShardSession } from '../session/shard-session';
import type { ShardWriter } from '../write/shard-writer';
import { findLeftPlaces, targetPlacesOf, rewritesIdentity } from '../write/transform';
import { touchSnapshot } from '../read/on-snapshot';
import { readPages } from '../read/pages';
import { findPresent, readHeads } from '../read/heads';

export interface RoundResult {
  readonly upserts: number;
  readonly deletes: number;
}

const deletesPerBatch = 1000;
const seqNosPerQuery = 1000;
/** Keys of changed documents that a round keeps in mind; of more the snapshots are asked again. */
const maxKeysKept = 20_000;

/**
 * Drives the target from snapshot `old` to snapshot `next`: afterwards it holds exactly `next`.
 *
 * The search for deletes must find as many as there are by count. Deletes go before upserts, because an upsert may
 * re-create an id under another routing. Everything here can be repeated from the start with the same two
 * snapshots, so a round that was broken off is run again.
 * @param recorded resolves when the record names `next`: what is written can only be undone by somebody who knows it
 * @throws SnapshotLostError when one of the two is gone
 * @throws ShardFailedError when the snapshots contradict each other, or are not of the same index
 * @throws whatever kept `next` from the record; nothing is written then
 */
export async function replayRound(
  work: ShardWork,
  old: Snapshot,
  next: Snapshot,
  recorded: Promise<void>,
): Promise<RoundResult> {
  const { session, writer } = work;
  const { clusterUuid } = session.context.migration;
  const relation = compareSnapshotIdentity({ ...old, clusterUuid }, { ...next, clusterUuid });
  if (typeof relation === 'object') {
    throw new ShardFailedError(`the source is not the one the copy began with: ${relation.replaced}`);
  }
  const primaryChanged = relation === 'primary_changed';
  const changes: Selection = { kind: 'range', from: old.checkpoint + 1, to: next.maxSeqNo + 1 };

  const { changed, created, changedKeys, newKeys, mayComeOverItself } = await countChanges(
    session,
    old,
    next,
    changes,
  );
  // The first page of the upserts is read while the deletes are searched for.
  const pages = changed === 0 ? undefined : readPages(session, next, changes);
  const search = planDeletes(old, next, { changed, created }, primaryChanged);
  await recorded;
  const touched = touchSnapshot(session, next);
  // It is waited for at the end.
  touched.catch(() => undefined);
  watchNewDocuments({ session, writer, old }, primaryChanged ? undefined : newKeys);
  let deletes = 0;
  if (search !== undefined) {
    // It goes on while the deletes are searched for; the first of them waits for it.
    const quiet = awaitQuiet(session);
    if (search.thorough) await quiet;
    else quiet.catch(() => undefined);
    writer.expectDeletes();
    const rewritten = primaryChanged ? undefined : changedKeys;
    deletes = await replayDeletes(work, { old, next }, { ...search, rewritten });
  }
  if (changed > 0 && rewritesIdentity(session)) await leavePlaces(work, old, next, changes);
  if (mayComeOverItself) await awaitQuiet(session);
  const upserts = pages === undefined ? 0 : await writePages(work, next, pages);
  writer.targetConflicts.watchNewDocuments(undefined);
  assertAllRead(session.context.shard, changed, upserts);
  await touched;
  session.context.metrics.operationsReplayed('delete', deletes);
  session.context.metrics.operationsReplayed('upsert', upserts);
  return { upserts, deletes };
}

interface Changes {
  readonly changed: number;
  readonly created: number;
  /** which ones; undefined: too many to keep */
  readonly changedKeys: ReadonlySet<string> | undefined;
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
  const changedKeys = new Set<string>();
  if (changes.kind === 'range' && changes.from >= changes.to)
    return { changed, created, changedKeys, newKeys, mayComeOverItself };
  for await (const heads of readHeads(session, next, changes)) {
    const page = evaluateChanged(heads, await findPresent(session, old, heads));
    changed += heads.length;
    if (changed <= maxKeysKept) for (const head of heads) changedKeys.add(documentKeyString(head));
    mayComeOverItself ||= page.mayComeOverItself;
    created += page.created.length;
    if (keep && created <= maxKeysKept) for (const key of page.created) newKeys.add(key);
  }
  return {
    changed,
    created,
    changedKeys: changed <= maxKeysKept ? changedKeys : undefined,
    newKeys: newKeys.size === created ? newKeys : undefined,
    mayComeOverItself,
  };
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

async function replayDeletes(
  work: ShardWork,
  { old, next }: { readonly old: Snapshot; readonly next: Snapshot },
  search: DeleteSearch & DifferenceSearch,
): Promise<number> {
  const { session, writer } = work;
  let found = 0;
  let batch: DocumentKey[] = [];
  const flush = async (): Promise<void> => {
    await writer.deleteDocuments(await targetPlacesOf(session, old, batch));
    batch = [];
  };
  for await (const difference of findDifferences(session, old, next, search)) {
    found += difference.deleted.length;
    batch.push(...difference.deleted);
    if (batch.length >= deletesPerBatch) await flush();
    if (difference.appeared.length > 0) await rewrite(work, { old, next }, difference.appeared);
    if (isSearchOver(search, found)) break;
  }
  await flush();
  assertAllFound(session.context.shard, search, found);
  return found;
}

/** Documents that another primary brought in at numbers the old snapshot had already passed. */
async function rewrite(
  work: ShardWork,
  { old, next }: { readonly old: Snapshot; readonly next: Snapshot },
  seqNos: readonly number[],
): Promise<void> {
  const { session } = work;
  const write = async (part: readonly number[]): Promise<void> => {
    const selection: Selection = { kind: 'seq_nos', seqNos: part };
    if (rewritesIdentity(session)) await leavePlaces(work, old, next, selection);
    const read = await writePages(work, next, readPages(session, next, selection));
    assertEachRead(session.context.shard, part, read);
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
