import type { Snapshot } from '@aosc/contract';
import { documentKeyString, createPageSizer, type SeqNoHistogram } from '@aosc/domain';
import { checkKeys } from './check-keys';
import { inRequests } from './chunks';
import { fittingPages, followPages, readFittingPage } from './fitting-page';
import { nameUnreadable } from './name-unreadable';
import { reportLoss, onSnapshot } from './on-snapshot';
import type { Call } from '../../ports/call';
import { isClusterError } from '../../ports/cluster-error';
import type { DocumentKey, RawDocument, DocumentHead } from '../../ports/documents';
import type { DocumentPage, Page, Selection, PageRequest, SnapshotPort } from '../../ports/snapshot-port';
import { type Retrying, retryingReads } from '../session/retrying-reads';
import type { ShardSession } from '../session/shard-session';
import { keepAliveOf, unrecordedKeepAlive } from '../snapshot/open-on-copy';
import { keyOf } from '../write/document-names';

/**
 * All pages of a selection, with sources, as {@link followPages} gives them. The keys of the documents have passed
 * {@link checkKeys}. `_seq_no` is not unique in a shard that a `_shrink` made, so a full page always means "more",
 * however narrow the window.
 * @throws ShardFailedError for a document whose place in the target can't be known
 */
export function readPages(
  session: ShardSession,
  snapshot: Snapshot,
  selection: Selection,
): AsyncIterable<Page<RawDocument>> {
  return followPages((after) => readPage(session, snapshot, selection, after));
}

/**
 * Reads the documents with these keys that the snapshot has, with sources. The caller may use a page's documents for as
 * long as {@link followPages} says.
 */
export async function* readKeys(
  session: ShardSession,
  snapshot: Snapshot,
  keys: readonly DocumentKey[],
): AsyncGenerator<{ readonly documents: readonly RawDocument[] }> {
  const wanted = new Set(keys.map(documentKeyString));
  const ids = [...new Set(keys.map(({ id }) => id))];
  for (const part of inRequests(ids)) {
    for await (const { documents } of readPages(session, snapshot, { kind: 'ids', ids: part })) {
      yield { documents: documents.filter((document) => wanted.has(documentKeyString(keyOf(document)))) };
    }
  }
}

async function readPage(
  session: ShardSession,
  snapshot: Snapshot,
  selection: Selection,
  after?: string,
): Promise<{ readonly page: DocumentPage; readonly isLast: boolean }> {
  const { source } = session.context;
  const request = {
    pitId: snapshot.pitId,
    keepAliveMs: keepAliveOf(session, snapshot),
    selection,
    ...(after === undefined ? {} : { after }),
  };
  let asked = 0;
  const read = (size: number, call: Call): Promise<DocumentPage> => {
    asked = size;
    return source.snapshots.readDocuments({ ...request, size }, call);
  };
  const sizes = { pages: session.pacing.pages, limit: session.pacing.pageSizeLimit };
  const found = await reportLoss(readFittingPage(session, sizes, read)).catch(async (error: unknown) => {
    if (!isClusterError(error, 'invalid')) throw error;
    throw await reportLoss(nameUnreadable(session, source.snapshots, { ...request, size: asked }, error));
  });
  await checkKeys(session, found.page.documents.map(keyOf));
  return found;
}

/** A point in time on a shard of the target, whose documents up to a number are read. */
export interface LinkedPart {
  readonly pitId: string;
  readonly upTo: number;
}

/**
 * Where a round begins: a snapshot of the source shard, or the documents that the target's shards got with the files of
 * the source (`linked`), which have the numbers of the source.
 */
export interface DocumentView extends Snapshot {
  readonly linked?: readonly LinkedPart[];
}

export const headsPageSize = 5000;

/** Reads all heads of a selection, page by page. */
export async function* readHeads(
  session: ShardSession,
  view: Pick<DocumentView, 'pitId' | 'linked'>,
  selection: Selection,
): AsyncGenerator<readonly DocumentHead[]> {
  if (view.linked === undefined) {
    const { snapshots } = session.context.source;
    const request = { pitId: view.pitId, keepAliveMs: keepAliveOf(session, view), selection };
    yield* readHeadPages(session, snapshots, request, reportLoss);
    return;
  }
  const { target, timing } = session.context;
  for (const { pitId, upTo } of view.linked) {
    const request = { pitId, keepAliveMs: unrecordedKeepAlive(timing), selection };
    for await (const heads of readHeadPages(session, target.snapshots, request)) {
      yield heads.filter(({ seqNo }) => seqNo <= upTo);
    }
  }
}

/** @param report turns the errors of a read into others */
export function readHeadPages(
  session: Retrying,
  snapshots: Pick<SnapshotPort, 'readHeads'>,
  request: Pick<PageRequest, 'pitId' | 'keepAliveMs' | 'selection'>,
  report = <T>(reading: Promise<T>) => reading,
): AsyncGenerator<readonly DocumentHead[]> {
  const sizes = { pages: createPageSizer({ firstPage: headsPageSize }), limit: () => headsPageSize };
  return fittingPages(session, sizes, request, (from, call) => report(snapshots.readHeads(from, call)));
}

/**
 * The heads of the given documents that a snapshot has, by `documentKeyString`. Other documents with the same ids are
 * among them.
 */
export async function findHeads(
  session: ShardSession,
  snapshot: DocumentView,
  keys: readonly DocumentKey[],
): Promise<ReadonlyMap<string, DocumentHead>> {
  const found = new Map<string, DocumentHead>();
  const ids = [...new Set(keys.map(({ id }) => id))];
  for (const part of inRequests(ids)) {
    for await (const heads of readHeads(session, snapshot, { kind: 'ids', ids: part })) {
      for (const head of heads) found.set(documentKeyString(head), head);
    }
  }
  return found;
}

/**
 * Documents per bucket of `_seq_no`.
 * @param selection for linked documents: must end at `upTo`, because this counts all that the selection has
 */
export async function readHistogram(
  session: ShardSession,
  view: DocumentView,
  selection: Selection,
  interval: number,
): Promise<SeqNoHistogram> {
  const { source, target, timing } = session.context;
  if (view.linked === undefined) {
    const request = { pitId: view.pitId, keepAliveMs: keepAliveOf(session, view), selection, interval };
    return {
      interval,
      counts: await onSnapshot(session, (call) => source.snapshots.histogram(request, call)),
    };
  }
  const counts = new Map<number, number>();
  for (const { pitId } of view.linked) {
    const request = { pitId, keepAliveMs: unrecordedKeepAlive(timing), selection, interval };
    const part = await retryingReads(session, (call) => target.snapshots.histogram(request, call));
    for (const [start, count] of part) counts.set(start, (counts.get(start) ?? 0) + count);
  }
  return { interval, counts };
}
