import type { ShardRecord, Snapshot } from '@aosc/contract';
import { targetShardsOf } from '@aosc/domain';
import { type DocumentView, type LinkedPart, readHeads, readHistogram } from '../read/pages';
import { checkKeys } from '../read/check-keys';
import type { ShardWork } from '../write/shard-work';
import type { TargetSnapshot } from '../session/shard-session';
import { withTargetSnapshots } from '../snapshot/target-snapshot';
import { changeCounters } from '../counters';
import { ShardFailedError } from '../errors';
import type { SourceShard } from './decide-beginning';
import { replayRound } from './replay-round';

/**
 * The first round of a shard whose target was made of files: it goes from what the files have brought, as the target shows it
 * now, to the snapshot. What the round itself writes gets higher numbers than that, so a round that was broken off begins again
 * with the rest.
 */
export async function followFiles(session: ShardWork, linked: SourceShard, next: Snapshot): Promise<void> {
  const { migration, shard, log } = session.context;
  const shards = targetShardsOf(migration, shard);
  // A clone has each document where it was. A split goes by the keys that are shown, and untouched documents are read by no round.
  if (shards.length > 1) await checkLinkedKeys(session, linked, next);
  const result = await withTargetSnapshots(session, shards, async (held) => {
    const old = await viewOf(session, held, linked, next);
    return replayRound(session, old, next, Promise.resolve());
  });
  log.info('files_followed', 'the files of the source were brought to a snapshot', { shard, ...result });
}

/** @throws ShardFailedError that names a document which a split has put where no application looks for it */
async function checkLinkedKeys(
  session: ShardWork,
  { checkpoint }: SourceShard,
  next: Snapshot,
): Promise<void> {
  const untouched = { kind: 'range', from: 0, to: checkpoint + 1 } as const;
  for await (const heads of readHeads(session, next, untouched)) await checkKeys(session, heads);
}

/** What came with the files counts as well: the documents are there. */
export function withAllCopied(
  record: ShardRecord,
  { checkpoint, maxSeqNo, documentCount }: Snapshot,
): ShardRecord {
  const copy = { fromSeqNo: checkpoint + 1, watermark: maxSeqNo + 1, documents: documentCount };
  if (record.backfill?.status !== 'IN_PROGRESS') return { ...record, copy };
  return changeCounters({ ...record, copy }, 'backfill', {
    documentsIndexed: documentCount,
    currentGap: 0,
  });
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
