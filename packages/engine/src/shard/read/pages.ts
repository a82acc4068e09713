import type { Snapshot } from '@aosc/contract';
import { documentKeyString } from '@aosc/domain';
import type { Call } from '../../ports/call';
import { isClusterError } from '../../ports/cluster-error';
import type { DocumentKey, RawDocument } from '../../ports/documents';
import type { DocumentPage, Page, Selection } from '../../ports/snapshot-port';
import type { ShardSession } from '../session/shard-session';
import { keepAliveOf } from '../snapshot/open-on-copy';
import { keyOf } from '../write/document-names';
import { checkKeys } from './check-keys';
import { inRequests } from './chunks';
import { readFittingPage } from './fitting-page';
import { nameUnreadable } from './name-unreadable';
import { reportLoss } from './on-snapshot';

interface PageRead {
  readonly page: DocumentPage;
  readonly isLast: boolean;
}

/**
 * All pages of a selection, with sources, of documents whose keys have been checked; the first is read at once, and the next one while the caller works on one.
 * `_seq_no` is not unique in a shard that a `_shrink` made, so a full page always means "more", however narrow the
 * window. A page's documents must not be used any more once the next page is asked for.
 * @throws ShardFailedError for a document whose place in the target can't be known
 */
export function readPages(
  session: ShardSession,
  snapshot: Snapshot,
  selection: Selection,
): AsyncIterable<Page<RawDocument>> {
  const begin = (after?: string): Promise<PageRead> => {
    const reading = readPage(session, snapshot, selection, after);
    // A caller that ends early does not come to see how this one ended.
    reading.catch(() => undefined);
    return reading;
  };
  return followPages(begin(), begin);
}

/** Of the documents with these keys those that the snapshot has, with sources, as long as {@link readPages} says. */
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

async function* followPages(
  first: Promise<PageRead>,
  begin: (after?: string) => Promise<PageRead>,
): AsyncGenerator<Page<RawDocument>> {
  let reading: Promise<PageRead> | undefined = first;
  while (reading !== undefined) {
    const { page, isLast }: PageRead = await reading;
    reading = isLast ? undefined : begin(page.next);
    if (page.documents.length > 0) yield page;
    // A caller that asks for the next page has done with this one; a caller that ends early may still have it under way.
    page.release();
  }
}

async function readPage(
  session: ShardSession,
  snapshot: Snapshot,
  selection: Selection,
  after?: string,
): Promise<PageRead> {
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
