import { createWindowTracker, histogramInterval, planWindows, type SeqNoHistogram } from '@aosc/domain';
import type { Snapshot } from '@aosc/contract';
import { isClusterError } from '../ports/cluster-error';
import type { RawDocument } from '../ports/documents';
import type { DocumentPage, Page, Selection } from '../ports/source-port';
import { SnapshotLostError } from './errors';
import { readFittingPage } from './fitting-page';
import { retryingReads } from './retrying-reads';
import type { ShardPacing } from './context';
import type { ShardSession } from './shard-session';
import type { ShardWriter } from './shard-writer';

/** One slow window holds back the watermark; the others run at most this far ahead of it. */
const maxWindowsAhead = 256;

export interface CopyProgress {
  /** every `_seq_no` below it is copied */
  readonly watermark: number;
  /** documents copied below the watermark by this call */
  readonly documents: number;
}

export interface CopyRequest {
  readonly snapshot: Snapshot;
  /** first `_seq_no` to copy */
  readonly from: number;
  /** documents of a window, about; asked anew for each */
  readonly windowDocuments: () => number;
  /** called whenever the watermark has moved; never concurrently */
  readonly onProgress: (progress: CopyProgress) => void;
}

/**
 * Copies all documents of a snapshot with `_seq_no` >= from, in windows of `_seq_no`, several at a time.
 * Windows may finish out of order; only what lies below the watermark counts, so a killed worker costs the
 * windows that were in flight and nothing else.
 * @throws SnapshotLostError when the point in time is gone
 */
export async function copyWindows(
  session: ShardSession,
  writer: ShardWriter,
  pacing: ShardPacing,
  request: CopyRequest,
): Promise<CopyProgress> {
  const { snapshot, from } = request;
  if (from > snapshot.maxSeqNo) return { watermark: snapshot.maxSeqNo + 1, documents: 0 };
  const plan = planWindows({
    from,
    maxSeqNo: snapshot.maxSeqNo,
    histogram: await readHistogram(
      session,
      snapshot,
      { kind: 'range', from: 0, to: snapshot.maxSeqNo + 1 },
      histogramInterval(snapshot.maxSeqNo),
    ),
    targetDocs: request.windowDocuments,
  });
  const tracker = createWindowTracker(plan, { watermark: from, documents: 0 }, maxWindowsAhead);
  const failures: unknown[] = [];
  let running = 0;
  let planned = false;
  let lookAgain = (): void => undefined;
  // Also after each bulk, and not only at the end of a window: the controller may let one more run by now.
  const stopListening = writer.onBatchEnd(() => lookAgain());
  for (;;) {
    while (!planned && failures.length === 0 && running < Math.max(1, writer.concurrency)) {
      if (session.signal.aborted) {
        failures.push(session.signal.reason);
        break;
      }
      const next = tracker.next();
      if (next.kind === 'exhausted') planned = true;
      if (next.kind !== 'window') break;
      const { window } = next;
      running++;
      void copyWindow(session, writer, pacing, snapshot, window)
        .then((documents) => request.onProgress(tracker.complete(window, documents)))
        .catch((error: unknown) => {
          failures.push(error);
        })
        .finally(() => {
          running--;
          lookAgain();
        });
    }
    // After a failure the others are waited for: no bulk may be under way when the caller decides what is next.
    if (running === 0) break;
    await new Promise<void>((resolve) => (lookAgain = resolve));
  }
  stopListening();
  if (failures.length > 0) throw failures[0];
  return tracker.current;
}

async function copyWindow(
  session: ShardSession,
  writer: ShardWriter,
  pacing: ShardPacing,
  snapshot: Snapshot,
  window: { readonly from: number; readonly to: number },
): Promise<number> {
  let documents = 0;
  const selection: Selection = { kind: 'range', from: window.from, to: window.to };
  for await (const page of readPages(session, pacing, snapshot, selection)) {
    await writer.writeDocuments(page.documents, snapshot);
    const bytes = page.documents.reduce((sum, { size }) => sum + size, 0);
    session.meter.add(page.documents.length, bytes);
    session.context.metrics.documentsCopied(page.documents.length, bytes);
    documents += page.documents.length;
  }
  return documents;
}

interface PageRead {
  readonly page: DocumentPage;
  readonly isLast: boolean;
}

/**
 * All pages of a selection, with sources; the first is read at once, and the next one while the caller works on one.
 * `_seq_no` is not unique in a shard that a `_shrink` made, so a full page always means "more", however narrow the
 * window. A page's documents must not be used any more once the next page is asked for.
 */
export function readPages(
  session: ShardSession,
  pacing: ShardPacing,
  snapshot: Snapshot,
  selection: Selection,
): AsyncIterable<Page<RawDocument>> {
  const begin = (after?: string): Promise<PageRead> => {
    const reading = readPage(session, pacing, snapshot, selection, after);
    // A caller that ends early does not come to see how this one ended.
    reading.catch(() => undefined);
    return reading;
  };
  return followPages(begin(), begin);
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
    // Whoever asks for the next page has done with this one; who ends early may still have it under way.
    page.release();
  }
}

function readPage(
  session: ShardSession,
  pacing: ShardPacing,
  snapshot: Snapshot,
  selection: Selection,
  after?: string,
): Promise<PageRead> {
  const { source, timing } = session.context;
  const request = {
    pitId: snapshot.pitId,
    keepAliveMs: timing.snapshotKeepAliveMs,
    selection,
    ...(after === undefined ? {} : { after }),
  };
  return reportLoss(
    readFittingPage(session, { pages: pacing.pages, limit: pacing.pageSizeLimit }, (size, call) =>
      source.readDocuments({ ...request, size }, call),
    ),
  );
}

/** Documents per bucket of `_seq_no`. */
export async function readHistogram(
  session: ShardSession,
  snapshot: Snapshot,
  selection: Selection,
  interval: number,
): Promise<SeqNoHistogram> {
  const counts = await onSnapshot(session, (call) =>
    session.context.source.histogram(
      {
        pitId: snapshot.pitId,
        keepAliveMs: session.context.timing.snapshotKeepAliveMs,
        selection,
        interval,
      },
      call,
    ),
  );
  return { interval, counts };
}

/** A read of a point in time, repeated while that is harmless. @throws SnapshotLostError when it is gone */
export function onSnapshot<T>(
  session: ShardSession,
  read: Parameters<typeof retryingReads<T>>[1],
): Promise<T> {
  return reportLoss(retryingReads(session, read));
}

/** @throws SnapshotLostError when the point in time that was read from is gone */
export async function reportLoss<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (isClusterError(error, 'snapshot_lost')) {
      throw new SnapshotLostError(error.message, { cause: error });
    }
    throw error;
  }
}
