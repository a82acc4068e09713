import type { ShardRecord, Snapshot } from '@aosc/contract';
import { changeCounters, targetShardsOf } from '@aosc/domain';
import { type DocumentView, type LinkedPart, readHistogram } from '../read/pages';
import type { ShardWork } from '../write/shard-work';
import type { TargetSnapshot } from '../session/shard-session';
import { withTargetSnapshots } from '../snapshot/target-snapshot';
import { ShardFailedError } from '../errors';
import { checkUntouched, isSplit } from './check-linked-keys';
import type { SourceShard } from './decide-beginning';
import { replayRound } from './replay-round';

/**
 * The first round of a shard whose target was made of the source's files. It leads from the documents that the files
 * have brought, as the target shows them now, to the snapshot. What the round itself writes gets higher numbers than
 * the files ended at. So a round that was broken off can begin again: it finds only the rest.
 */
export async function followFiles(session: ShardWork, linked: SourceShard, next: Snapshot): Promise<void> {
  const { migration, shard, log } = session.context;
  const shards = targetShardsOf(migration, shard);
  try {
    const result = await withTargetSnapshots(session, shards, async (held) => {
      const old = await viewOf(session, held, linked, next);
      return replayRound(session, old, next, Promise.resolve());
    });
    log.info('files_followed', 'the files of the source were brought to a snapshot', { shard, ...result });
  } catch (error) {
    // A document that the split has left out contradicts the counts: a look at the keys names it.
    if (isSplit(migration) && error instanceof ShardFailedError)
      await checkUntouched(session, next, { from: 0, to: linked.checkpoint + 1 });
    throw error;
  }
}

/** The record with all documents counted as copied: those that came with the files are in the target as well. */
export function withAllCopied(
  { context }: ShardWork,
  record: ShardRecord,
  { checkpoint, maxSeqNo, documentCount }: Snapshot,
): ShardRecord {
  const copied = {
    ...record,
    copy: { fromSeqNo: checkpoint + 1, watermark: maxSeqNo + 1, documents: documentCount },
    ...(isSplit(context.migration) && { uncheckedKeysFrom: 0 }),
  };
  if (record.backfill?.status !== 'IN_PROGRESS') return copied;
  return changeCounters(copied, 'backfill', { documentsIndexed: documentCount, currentGap: 0 });
}

async function viewOf(
  session: ShardWork,
  held: readonly TargetSnapshot[],
  { checkpoint, historyUuid, allocationId, primaryTerm }: SourceShard,
  next: Snapshot,
): Promise<DocumentView> {
  const reached = session.context.migration.files?.reached ?? {};
  const parts = held.map(({ pitId, shard }): LinkedPart => ({ pitId, upTo: reached[String(shard)] ?? -1 }));
  const short = parts.find(({ upTo }) => upTo < checkpoint);
  if (short !== undefined) {
    throw new ShardFailedError(
      `the files of the source ended at ${short.upTo}, before the checkpoint ${checkpoint} that they must have. Nothing was ` +
        'swapped; please report this',
    );
  }
  const maxSeqNo = Math.max(checkpoint, ...parts.map(({ upTo }) => upTo));
  const view = { ...next, checkpoint, historyUuid, allocationId, primaryTerm, maxSeqNo };
  let documentCount = 0;
  for (const part of parts) {
    if (part.upTo < 0) continue;
    const upTo = { kind: 'range', from: 0, to: part.upTo + 1 } as const;
    const counted = await readHistogram(session, { ...view, linked: [part] }, upTo, part.upTo + 1);
    documentCount += [...counted.counts.values()].reduce((sum, count) => sum + count, 0);
  }
  return { ...view, documentCount, linked: parts };
}
