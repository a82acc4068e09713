import type { ShardWork } from '../write/shard-work';
import { writePages } from './write-pages';
import { documentKeyString, sharesPlaces } from '@aosc/domain';
import type { Snapshot } from '@aosc/contract';
import type { DocumentKey } from '../../ports/documents';
import type { Selection } from '../../ports/snapshot-port';
import { assertAllFound, assertAllRead, assertEachRead, isSearchOver, planDeletes } from './evaluate-round';
import { type DifferenceSearch, findDifferences } from './find-deletes';
import { Round } from './round';
import { checkKeys } from '../read/check-keys';
import { inChunks } from '../read/chunks';
import { awaitQuiet } from '../fence/await-quiet';
import type { ShardWriter } from '../write/shard-writer';
import { findLeftPlaces, targetPlacesOf, rewritesIdentity } from '../write/transform';
import { touchSnapshot } from '../read/on-snapshot';
import { type DocumentView, findHeads } from '../read/pages';

export interface RoundResult {
  readonly upserts: number;
  readonly deletes: number;
}

const deletesPerBatch = 1000;
const seqNosPerQuery = 1000;

/**
 * Drives the target from snapshot `old` to snapshot `next`: afterwards the target holds exactly `next`.
 *
 * The search must find as many deletes as the counts show (`planDeletes`). Deletes go before upserts, because an upsert
 * may re-create an id under another routing. Everything here can be repeated from the start with the same two
 * snapshots, so a round that was broken off is run again.
 * @param recorded resolves when the record names `next`. A later owner needs `next` to find what this round has written,
 *   for example a document that is new in `next` and deleted soon after
 * @throws SnapshotLostError when one of the two is gone
 * @throws ShardFailedError when the snapshots contradict each other, or are not of one history
 * @throws the error that kept `next` out of the record; the round has written nothing then
 */
export async function replayRound(
  session: ShardWork,
  old: DocumentView,
  next: Snapshot,
  recorded: Promise<void>,
): Promise<RoundResult> {
  const { writer } = session;
  const round = new Round(session, old, next);
  const { primaryChanged } = round;
  const { changed, created, changedKeys, newKeys, mayComeOverItself } = await round.changes();
  // The first page of the upserts is read while the deletes are searched for.
  const pages = changed === 0 ? undefined : round.upserts();
  const search = planDeletes(old, next, { changed, created }, primaryChanged);
  await recorded;
  const touched = touchSnapshot(session, next);
  // The end of the round awaits `touched`; a round that fails before does not.
  touched.catch(() => undefined);
  watchNewDocuments(writer, round, primaryChanged ? undefined : newKeys);
  let deletes = 0;
  if (search !== undefined) {
    // Once `quiet` has resolved, no node repeats a bulk of this shard. A thorough search waits here: it also writes
    // documents (`rewrite`), and a repeated bulk of an older state could come over these. Any other search only deletes,
    // and the writer awaits the same before a delete.
    const quiet = awaitQuiet(session);
    if (search.thorough) await quiet;
    else quiet.catch(() => undefined);
    writer.expectDeletes();
    const rewritten = primaryChanged ? undefined : changedKeys;
    deletes = await replayDeletes(session, round, { ...search, rewritten });
  }
  if (changed > 0 && rewritesIdentity(session)) await leavePlaces(session, round);
  if (mayComeOverItself) await awaitQuiet(session);
  const upserts = pages === undefined ? 0 : await writePages(session, next, pages);
  writer.targetConflicts.watchNewDocuments(undefined);
  assertAllRead(session.context.shard, changed, upserts);
  await touched;
  session.context.metrics.operationsReplayed('delete', deletes);
  session.context.metrics.operationsReplayed('upsert', upserts);
  return { upserts, deletes };
}

/**
 * Where other source shards write to the same places, a document that the old snapshot does not have must find its
 * place empty. Otherwise the place is contested. After a change of primary other documents than those counted may be
 * new, so the round asks the old snapshot.
 */
function watchNewDocuments(
  writer: ShardWriter,
  { session, old }: Round,
  newKeys: ReadonlySet<string> | undefined,
): void {
  if (newKeys?.size === 0 || !sharesPlaces(session.context.migration)) return;
  writer.targetConflicts.watchNewDocuments(async (keys) => {
    if (newKeys !== undefined) return keys.filter((key) => newKeys.has(documentKeyString(key)));
    const present = await findHeads(session, old, keys);
    return keys.filter((key) => !present.has(documentKeyString(key)));
  });
}

async function replayDeletes(session: ShardWork, round: Round, search: DifferenceSearch): Promise<number> {
  const { writer } = session;
  let found = 0;
  let batch: DocumentKey[] = [];
  const flush = async (): Promise<void> => {
    // OpenSearch may show another key (with U+FFFD) than the application sent. A clone then holds the document in a shard
    // where a delete by the shown key does not look. A split may have put it into no shard at all. Once the source has
    // deleted the document, nothing would show this, so `checkKeys` fails the shard before such a delete.
    if (session.context.migration.files !== undefined) await checkKeys(session, batch);
    await writer.deleteDocuments(await targetPlacesOf(session, round.old, batch));
    batch = [];
  };
  for await (const difference of findDifferences(round, search)) {
    found += difference.deleted.length;
    batch.push(...difference.deleted);
    if (batch.length >= deletesPerBatch) await flush();
    if (difference.appeared.length > 0) await rewrite(session, round, difference.appeared);
    if (isSearchOver(search, found)) break;
  }
  await flush();
  assertAllFound(session.context.shard, search, found);
  return found;
}

/** Writes documents that another primary brought in at numbers the old snapshot had already passed. */
async function rewrite(session: ShardWork, round: Round, seqNos: readonly number[]): Promise<void> {
  const write = async (part: readonly number[]): Promise<void> => {
    const selection: Selection = { kind: 'seq_nos', seqNos: part };
    if (rewritesIdentity(session)) await leavePlaces(session, round, selection);
    const read = await writePages(session, round.next, round.upserts(selection));
    assertEachRead(session.context.shard, part, read);
  };
  const parts = inChunks(seqNos, seqNosPerQuery, write);
  while ((await parts.next()).done !== true);
}

/**
 * Takes changed documents away from where they were, if a transform now puts them elsewhere. This comes before the writes
 * of the same selection: a document may go where another was.
 */
async function leavePlaces(session: ShardWork, round: Round, selection?: Selection): Promise<void> {
  for await (const page of round.upserts(selection)) {
    await session.writer.deleteDocuments(await findLeftPlaces(session, round.old, page.documents));
  }
}
