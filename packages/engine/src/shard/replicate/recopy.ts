import { changeCounters, documentKeyString, holdSnapshot, sharesPlaces, withContested } from '@aosc/domain';
import type { ShardRecord, Snapshot } from '@aosc/contract';
import { type CopyProgress, copyWindows } from './copy-windows';
import { decideBeginning } from './decide-beginning';
import { followFiles, withAllCopied } from './follow-files';
import { ShardFailedError, SnapshotLostError } from '../errors';
import { awaitQuiet } from '../fence/await-quiet';
import { retryingReads } from '../session/retrying-reads';
import type { ShardWork } from '../write/shard-work';
import { evaluateCollisions } from './evaluate-collisions';
import { recordSnapshot } from '../snapshot/record-snapshot';
import { openLease, tryCloseSnapshots } from '../snapshot/snapshot-lease';
import { assertMaySweep, recordLoss } from './record-loss';
import { sweepTarget } from './sweep-target';
import { writeMissing } from './write-missing';
import { writeKeys } from './write-pages';
import { findHeads } from '../read/pages';
import { touchSnapshot } from '../read/on-snapshot';

/**
 * Documents of a window are read in the order in which they lie in the segments. A page of neighbours costs the node
 * about half the CPU of a page from several segments, so a window is several pages. A larger window would cost more
 * after a death: a killed worker leaves its windows to be copied again.
 */
const bulksPerWindow = 16;
const maxRecopies = 20;
const nothingCopied = { fromSeqNo: 0, watermark: 0, documents: 0 };

/** {@link copyAll} as the repair after a snapshot was lost. The record shows the end before this returns. */
export async function recopy(session: ShardWork): Promise<void> {
  await copyAll(session);
  await session.update();
}

/**
 * Brings the target to one snapshot by copying windows: the backfill, and the repair after a snapshot was lost. It
 * resumes at the recorded watermark. If the snapshot is lost on the way, a fresh snapshot takes its place, and the copy
 * resumes where it can't have missed anything. At the end a sweep, a comparison of the whole shard, removes what the
 * lost snapshot had brought and the source no longer has. The caller's next write records the end. If a worker dies
 * before that, the next worker copies again what lies above the recorded watermark.
 * @returns how many documents were copied, including those that were copied again after a loss
 */
export async function copyAll(session: ShardWork): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    // The undo of a cutover whose snapshots were closed asks for a sweep as well.
    if (session.record.sweepPending) assertMaySweep(session, 'it was closed under the write block');
    try {
      const documents = await copyOnce(session);
      if (documents !== undefined) return documents;
      if (attempt >= maxRecopies) {
        throw new ShardFailedError(
          `the target does not come to hold the documents of source shard [${session.context.shard}]. Does anything ` +
            'else write to the target index?',
        );
      }
    } catch (error) {
      if (!(error instanceof SnapshotLostError)) throw error;
      await recordLoss(session, error);
    }
  }
}

/**
 * @returns as {@link copyAll}; undefined: documents are missing although all were copied, so the copy begins again from
 *   the first number
 */
async function copyOnce(session: ShardWork): Promise<number | undefined> {
  const { writer, pacing } = session;
  const { log, migration, shard } = session.context;
  // Only the job that opens the first snapshot writes each document for the first time.
  let isFirst = session.record.snapshot === undefined && session.record.copy === undefined;
  const snapshot = session.record.snapshot ?? (await acquire(session));
  const beginning = decideBeginning(migration, session.record, snapshot);
  if (beginning.type === 'fail')
    throw new ShardFailedError(`the source is not the one whose files were linked: ${beginning.reason}`);
  if (beginning.type === 'follow') {
    await followFiles(session, beginning.linked, snapshot);
    session.defer((record) => withAllCopied(session, record, snapshot));
    return snapshot.documentCount;
  }
  if (beginning.type === 'copy_over') {
    log.warn(
      'files_copied_over',
      'another copy became primary since the files were linked: copying each document',
      { shard },
    );
    await session.update((record) => ({ ...record, sweepPending: true }));
    isFirst = false;
  }
  const before = session.record.copy ?? nothingCopied;
  if (isFirst) writer.targetConflicts.expectNewDocuments();
  else {
    await goOnWithoutKnowing(session);
    // The copy writes documents again that may have changed without a higher version. After that no node may repeat a
    // bulk of an older state.
    await awaitQuiet(session);
  }
  let progress: CopyProgress | undefined;
  const noteProgress = (record: ShardRecord): ShardRecord => {
    if (progress === undefined) return record;
    const { watermark, documents } = progress;
    const copied = before.documents + documents;
    const next = { ...record, copy: { ...before, watermark, documents: copied } };
    if (next.backfill?.status !== 'IN_PROGRESS') return next;
    return changeCounters(next, 'backfill', {
      documentsIndexed: copied,
      currentGap: Math.max(0, snapshot.documentCount - copied),
    });
  };
  progress = await copyWindows(session, {
    snapshot,
    from: before.watermark,
    windowDocuments: () => bulksPerWindow * pacing.controller.limits().maxDocs,
    onProgress: (reached) => {
      progress = reached;
      session.defer(noteProgress);
    },
  });
  const contested = writer.targetConflicts.takeContested();
  session.defer(noteProgress);
  session.defer((record) => withContested(record, contested));
  assertComplete(session, noteProgress(session.record), snapshot);
  const copied = before.documents + progress.documents;
  const collisions = writer.targetConflicts.takeCollisions();
  if (collisions === undefined && !session.record.sweepPending) return copied;
  await session.update();
  await evaluateCollisions(session, snapshot, collisions);
  if (session.record.sweepPending) {
    const { held, expected } = await sweep(session, snapshot);
    if (held !== expected) {
      log.warn('copy_incomplete', 'documents are missing after the sweep: writing them again', {
        shard,
        held,
        expected,
      });
      if (held > expected || !sharesPlaces(migration)) {
        // Another primary may have brought documents back below the watermark.
        await session.update((record) => ({ ...record, copy: nothingCopied }));
        return undefined;
      }
      await writeMissing(session, snapshot);
    }
    await session.update((record) => ({ ...record, sweepPending: false }));
  }
  return copied;
}

/** @returns documents that the target holds, and how many it should */
async function sweep(
  session: ShardWork,
  snapshot: Snapshot,
): Promise<{ readonly held: number; readonly expected: number }> {
  const { writer } = session;
  const countExpected = async (): Promise<number> => {
    const lacking = [...writer.targetConflicts.left, ...writer.refusals.keys];
    const present = await findHeads(session, snapshot, lacking);
    const names = new Set(lacking.map(documentKeyString).filter((name) => present.has(name)));
    return snapshot.documentCount - names.size;
  };
  await retryRefused(session, snapshot);
  const { held, look } = await sweepTarget(session, snapshot);
  const expected = await countExpected();
  if (look === 'each' || held <= expected) return { held, expected };
  // A print is a short hash: by chance a document that is gone may have the print of another, and stay. This sweep
  // looks up each document by its id.
  const again = await sweepTarget(session, snapshot, 'each');
  return { held: again.held, expected: await countExpected() };
}

/** The lost snapshot can't show any more which of the documents that were set aside are gone: this looks each up. */
async function retryRefused(session: ShardWork, snapshot: Snapshot): Promise<void> {
  const { writer } = session;
  const { keys } = writer.refusals;
  if (keys.length === 0) return;
  const present = await findHeads(session, snapshot, keys);
  await writer.deleteDocuments(keys.filter((key) => !present.has(documentKeyString(key))));
  await writeKeys(session, snapshot, writer.refusals.keys);
}

/**
 * From here on a document may replace its own earlier copy, and what a broken-off job met is unknown. So the record
 * says that there may be contested places (to which several source shards have written), and under the write block the
 * shards count the target's documents.
 */
async function goOnWithoutKnowing(session: ShardWork): Promise<void> {
  const { writer } = session;
  writer.targetConflicts.takeCollisions();
  if (session.record.contestedUnknown === true || !sharesPlaces(session.context.migration)) return;
  await session.update((record) => withContested(record, { ids: [], unknown: true }));
}

/** A copy from 0 that has lost no snapshot must have read exactly the documents that the snapshot counts. */
function assertComplete(
  { context }: ShardWork,
  { copy, sweepPending }: ShardRecord,
  snapshot: Snapshot,
): void {
  if (copy === undefined || copy.fromSeqNo !== 0 || sweepPending) return;
  if (copy.documents !== snapshot.documentCount) {
    throw new ShardFailedError(
      `source shard [${context.shard}] holds ${snapshot.documentCount} documents, ${copy.documents} were read. ` +
        'Nothing was swapped; please report this',
    );
  }
}

/**
 * Opens a snapshot and records it before anything is written from it: the recorded snapshot decides what a later owner
 * must undo.
 */
async function acquire(session: ShardWork): Promise<Snapshot> {
  const { context } = session;
  const snapshot = await retryingReads(session, (call) => openLease(session, call));
  const { historyUuid } = session.record;
  if (historyUuid !== undefined && historyUuid !== snapshot.historyUuid) {
    session.unclosed.push(...(await tryCloseSnapshots(context.source.snapshots, [snapshot.pitId])));
    throw new ShardFailedError(
      `the history of source shard [${context.shard}] was replaced (a stale or empty primary was allocated): ` +
        'operations that were copied may be gone from the source. Start a new migration into an empty target',
    );
  }
  await recordSnapshot(session, snapshot.pitId, (record) =>
    holdSnapshot(record, snapshot, context.clock.now()),
  );
  await touchSnapshot(session, snapshot);
  context.log.info('lease_acquired', 'a snapshot of the source shard is open', {
    shard: context.shard,
    checkpoint: snapshot.checkpoint,
    maxSeqNo: snapshot.maxSeqNo,
    documents: snapshot.documentCount,
  });
  return snapshot;
}
