import { beginCopy, changeCounters, endCopy } from '@aosc/domain';
import type { ShardContext } from '../context';
import { PrimaryElsewhereError, SnapshotLostError } from '../errors';
import { recordLoss } from '../replicate/record-loss';
import { copyAll } from '../replicate/recopy';
import { retryingReads } from '../session/retrying-reads';
import type { ShardWork } from '../write/shard-work';
import { readPrimaryRouting } from '../snapshot/source-look';

/**
 * PENDING → ACQUIRING_LEASE → BACKFILLING → CONVERGING: opens the shard's first snapshot and copies it. It resumes
 * where the record says. The write that hands the shard back also moves the shard to CONVERGING.
 */
export async function runBackfill(session: ShardWork, context: ShardContext): Promise<void> {
  const { clock, log, shard } = context;
  const { writer } = session;
  await session.update((record) => beginCopy(record, clock.now()));
  log.info('backfill_start', 'copying the shard', {
    shard,
    fromSeqNo: session.record.copy?.watermark ?? 0,
    epoch: session.epoch,
  });
  // An earlier job of this backfill may have counted rounds and retries already.
  const { rounds = 0, bulkRetries = 0 } = session.record.backfill ?? {};
  await leaveOtherNode(session);
  session.count((record) =>
    changeCounters(record, 'backfill', {
      rounds: rounds + writer.bulks,
      bulkRetries: bulkRetries + writer.bulkRetries,
    }),
  );
  const docs = await copyAll(session);
  const { checkpoint } = session.record.snapshot ?? {};
  log.info('backfill_complete', 'the shard is copied', { shard, docs, checkpoint });
  session.defer((record) => endCopy(record, clock.now()));
}

/**
 * Leaves a snapshot that an earlier job opened on another node than the permit's: this job may not read from that node.
 * If the primary is on the permit's node now, the snapshot counts as lost. Otherwise this job came from the queue of
 * the wrong node, and ends.
 */
async function leaveOtherNode(session: ShardWork): Promise<void> {
  const { context, signal, record } = session;
  const { snapshot } = record;
  const { permit } = context;
  if (snapshot === undefined || permit === undefined || snapshot.nodeId === permit.nodeId) return;
  const { nodeId } = await retryingReads(session, () => readPrimaryRouting(context, signal));
  if (nodeId !== permit.nodeId) throw new PrimaryElsewhereError(`the primary is on node [${nodeId}]`);
  await recordLoss(session, new SnapshotLostError('the primary has left the node that it was opened on'));
}
