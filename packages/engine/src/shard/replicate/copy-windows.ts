import {
  allInOneBucket,
  createWindowTracker,
  histogramInterval,
  planWindows,
  type SeqNoWindow,
} from '@aosc/domain';
import type { Snapshot } from '@aosc/contract';
import type { Selection } from '../../ports/snapshot-port';
import { readPages, readHistogram } from '../read/pages';
import type { ShardWork } from '../write/shard-work';

/**
 * The most windows above the watermark, done or under way. A slow window holds the watermark back: at this bound no
 * further window begins.
 */
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
  /** about how many documents a window has; read again for each window */
  readonly windowDocuments: () => number;
  /** called whenever a window is copied, even if the watermark stays; never concurrently */
  readonly onProgress: (progress: CopyProgress) => void;
}

/**
 * Copies all documents of a snapshot with `_seq_no` >= from, in windows of `_seq_no`, several at a time. Windows may
 * finish out of order. Only documents below the watermark count: after a worker was killed, the next worker copies
 * again what lies above it.
 * @throws SnapshotLostError when the point in time is gone
 */
export async function copyWindows(session: ShardWork, request: CopyRequest): Promise<CopyProgress> {
  const { writer } = session;
  const { snapshot, from } = request;
  if (from > snapshot.maxSeqNo) return { watermark: snapshot.maxSeqNo + 1, documents: 0 };
  const plan = await createPlan(session, request);
  const tracker = createWindowTracker(plan, { watermark: from, documents: 0 }, maxWindowsAhead);
  const failures: unknown[] = [];
  let running = 0;
  let planned = false;
  let lookAgain = (): void => undefined;
  // The controller may let one more window run after each bulk, not only at the end of a window.
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
      void copyWindow(session, snapshot, window)
        .then((documents) => request.onProgress(tracker.complete(window, documents)))
        .catch((error: unknown) => {
          failures.push(error);
        })
        .finally(() => {
          running--;
          lookAgain();
        });
    }
    // After a failure the copy waits for the other windows: no bulk may be under way when the caller decides what is
    // next.
    if (running === 0) break;
    await new Promise<void>((resolve) => (lookAgain = resolve));
  }
  stopListening();
  // Refused documents come before other failures: by now each window has noted its own, and this error names them all.
  writer.refusals.assertNone();
  if (failures.length > 0) throw failures[0];
  return tracker.current;
}

async function createPlan(
  session: ShardWork,
  { snapshot, from, windowDocuments }: CopyRequest,
): Promise<Generator<SeqNoWindow, void, undefined>> {
  const { maxSeqNo, documentCount } = snapshot;
  // Only a copy in several windows needs to know where the documents lie.
  const histogram =
    documentCount <= windowDocuments()
      ? allInOneBucket(maxSeqNo, documentCount)
      : await readHistogram(
          session,
          snapshot,
          { kind: 'range', from: 0, to: maxSeqNo + 1 },
          histogramInterval(maxSeqNo),
        );
  return planWindows({ from, maxSeqNo, histogram, targetDocs: windowDocuments });
}

async function copyWindow(
  session: ShardWork,
  snapshot: Snapshot,
  window: { readonly from: number; readonly to: number },
): Promise<number> {
  const { writer } = session;
  let documents = 0;
  const selection: Selection = { kind: 'range', from: window.from, to: window.to };
  for await (const page of readPages(session, snapshot, selection)) {
    await writer.writeDocuments(page.documents, snapshot);
    const bytes = page.documents.reduce((sum, { size }) => sum + size, 0);
    session.meter.add(page.documents.length, bytes);
    session.context.metrics.documentsCopied(page.documents.length, bytes);
    documents += page.documents.length;
  }
  return documents;
}
