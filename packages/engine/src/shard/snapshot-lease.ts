import type { Snapshot } from '@aosc/contract';
import { timeLimit } from '@aosc/signals';
import type { Call } from '../ports/call';
import { ClusterError, isClusterError } from '../ports/cluster-error';
import type { PrimaryCheckpoint, PrimaryRouting } from '../ports/source-port';
import type { ShardContext } from './context';
import { describeOtherCluster } from '../other-cluster';
import { PrimaryElsewhereError, ShardFailedError } from './errors';

const settlePollMs = 50;
const maxAttempts = 60;

/**
 * A snapshot whose id got lost on its way can be closed by nobody, and one whose cluster can't be reached just then not
 * either: it lives this long, until it is known to be of use.
 */
const openingKeepAliveMs = 30_000;

export function keepAliveAtOpening({ snapshotKeepAliveMs }: ShardContext['timing']): number {
  return Math.min(openingKeepAliveMs, snapshotKeepAliveMs);
}

type Reader = Pick<ShardContext, 'source' | 'migration' | 'shard' | 'clock' | 'timing' | 'permit'>;

/**
 * Opens a snapshot of the shard that nothing can roll back any more: every operation visible in it is below
 * the global checkpoint, read after opening, under the same allocation and primary term. Otherwise a delete
 * that was never acknowledged could be copied and then be rolled back by a failover: a lost document.
 * @param refreshedOn allocation id of a primary on which the last operation is known to be visible already (under
 *   the write block, after the scheduler's refresh); any other primary is refreshed first
 * @throws ShardFailedError when the index is not the one the migration started with
 * @throws PrimaryElsewhereError when the job's permit is another node's
 * @throws ClusterError transient when the primary does not settle for minutes
 */
export async function openLease(context: Reader, call: Call, refreshedOn?: string): Promise<Snapshot> {
  const { clock } = context;
  for (let attempt = 1; ; attempt++) {
    const snapshot = await tryOpenLease(context, call, refreshedOn);
    if (snapshot !== undefined) return snapshot;
    if (attempt >= maxAttempts) {
      throw new ClusterError(
        'transient',
        `no stable snapshot of source shard [${context.shard}]: its primary is not started, keeps moving, ` +
          'or its global checkpoint stays behind; check the health of the source index',
      );
    }
    await clock.sleep(Math.min(settlePollMs * attempt, 2000), call.signal);
  }
}

async function tryOpenLease(
  context: Reader,
  call: Call,
  refreshedOn: string | undefined,
): Promise<Snapshot | undefined> {
  const { source, migration, timing, clock } = context;
  const { signal } = call;
  const index = migration.sourceIndex;
  const [routing, checkpoint] = await Promise.all([
    readPrimaryRouting(context, signal),
    readSyncedCheckpoint(context, signal),
  ]);
  if (!isSettled(routing, checkpoint)) return undefined;
  if (context.permit !== undefined && routing.nodeId !== context.permit.nodeId) {
    throw new PrimaryElsewhereError(`the primary is on node [${routing.nodeId}]`);
  }
  if (routing.allocationId !== refreshedOn) await source.refresh(index, { signal });
  const pitId = await source.openSnapshot(index, context.shard, keepAliveAtOpening(timing), call);
  try {
    const measured = await source.measureSnapshot(pitId, keepAliveAtOpening(timing), call);
    const safe = await waitUntilSafe(context, measured.maxSeqNo, checkpoint.historyUuid, signal);
    const after = await readPrimaryRouting(context, signal);
    const moved =
      after.allocationId !== routing.allocationId ||
      after.primaryTerm !== routing.primaryTerm ||
      after.nodeId !== routing.nodeId ||
      after.state !== 'STARTED';
    if (!safe || moved) {
      await closeQuietly(context, [pitId]);
      return undefined;
    }
    await source.extendSnapshot(pitId, timing.snapshotKeepAliveMs, call);
    return {
      pitId,
      nodeId: routing.nodeId,
      allocationId: routing.allocationId,
      primaryTerm: routing.primaryTerm,
      indexUuid: migration.sourceUuid,
      historyUuid: checkpoint.historyUuid,
      checkpoint: checkpoint.globalCheckpoint,
      maxSeqNo: measured.maxSeqNo,
      seenMaxSeqNo: checkpoint.maxSeqNo,
      documentCount: measured.documentCount,
      openedAtMillis: clock.now(),
    };
  } catch (error) {
    await closeQuietly(context, [pitId]);
    if (isClusterError(error, 'snapshot_lost')) return undefined;
    throw error;
  }
}

interface StartedPrimary extends PrimaryRouting {
  readonly nodeId: string;
  readonly allocationId: string;
}

function isSettled(routing: PrimaryRouting, checkpoint: PrimaryCheckpoint): routing is StartedPrimary {
  return (
    routing.state === 'STARTED' &&
    routing.allocationId !== undefined &&
    checkpoint.state === 'STARTED' &&
    checkpoint.nodeId === routing.nodeId
  );
}

/** @throws ShardFailedError when the source was deleted, made again, closed, or is another cluster's */
export async function readPrimaryRouting(context: Reader, signal: AbortSignal): Promise<PrimaryRouting> {
  const { source, migration, shard } = context;
  const index = await source.readRouting(migration.sourceIndex, { signal }).catch((error: unknown) => {
    if (isClusterError(error, 'not_found')) {
      throw new ShardFailedError(`Source index [${migration.sourceIndex}] no longer exists`, {
        cause: error,
      });
    }
    throw error;
  });
  if (index.clusterUuid !== migration.clusterUuid) {
    throw new ShardFailedError(describeOtherCluster(migration.clusterUuid, index.clusterUuid));
  }
  if (index.indexUuid !== migration.sourceUuid) {
    throw new ShardFailedError(
      `Source index [${migration.sourceIndex}] was deleted and made again: its uuid is no longer the one the migration started with`,
    );
  }
  if (!index.open) throw new ShardFailedError(`Source index [${migration.sourceIndex}] was closed`);
  const primary = index.primaries.find((candidate) => candidate.shard === shard);
  if (primary === undefined)
    throw new ShardFailedError(`Source shard [${shard}] is not in the routing table`);
  return primary;
}

export async function readPrimaryCheckpoint(
  context: Reader,
  signal: AbortSignal,
): Promise<PrimaryCheckpoint> {
  const all = await context.source.readCheckpoints(context.migration.sourceIndex, { signal });
  const own = all.find((candidate) => candidate.shard === context.shard);
  // A primary that is starting or moving is not in the statistics: the caller asks again.
  return own ?? unassignedCheckpoint(context.shard);
}

/**
 * With `translog.durability: async` checkpoints move only on sync or flush: without a flush the gap would
 * never fall below the threshold and every round would replay the same operations again.
 */
async function readSyncedCheckpoint(context: Reader, signal: AbortSignal): Promise<PrimaryCheckpoint> {
  const checkpoint = await readPrimaryCheckpoint(context, signal);
  const behind = checkpoint.maxSeqNo - checkpoint.globalCheckpoint;
  if (behind <= context.migration.options.convergenceThresholdPerShard) return checkpoint;
  await context.source.flush(context.migration.sourceIndex, { signal });
  return readPrimaryCheckpoint(context, signal);
}

function unassignedCheckpoint(shard: number): PrimaryCheckpoint {
  return {
    shard,
    nodeId: '',
    state: 'UNASSIGNED',
    maxSeqNo: -1,
    localCheckpoint: -1,
    globalCheckpoint: -1,
    historyUuid: '',
  };
}

/**
 * Waits until everything the snapshot shows is below the global checkpoint. What it shows is bounded by the
 * shard's max_seq_no, read after the opening: the highest number among its documents is not enough, because a
 * delete that it already shows has left no document behind.
 *
 * The global checkpoint follows within milliseconds, but with `translog.durability: async` only on a sync: a
 * flush brings it up.
 */
async function waitUntilSafe(
  context: Reader,
  maxSeqNoOfDocuments: number,
  historyUuid: string,
  signal: AbortSignal,
): Promise<boolean> {
  let bound = maxSeqNoOfDocuments;
  for (let attempt = 0; attempt < 40; attempt++) {
    const now = await readPrimaryCheckpoint(context, signal);
    if (now.historyUuid !== historyUuid) return false;
    if (attempt === 0) bound = Math.max(bound, now.maxSeqNo);
    if (now.globalCheckpoint >= bound) return true;
    if (attempt % 10 === 4) await context.source.flush(context.migration.sourceIndex, { signal });
    else await context.clock.sleep(settlePollMs, signal);
  }
  return false;
}

/** Closing frees disk and a shard lock, so it is tried even when the work was aborted; it expires by itself at last. */
export async function closeQuietly(
  context: Pick<ShardContext, 'source'>,
  pitIds: readonly string[],
): Promise<boolean> {
  if (pitIds.length === 0) return true;
  try {
    await context.source.closeSnapshots(pitIds, { signal: timeLimit(5000) });
    return true;
  } catch (error) {
    if (isClusterError(error)) return false;
    throw error;
  }
}

/**
 * For a shard whose snapshot was closed because its primary has changed: while the snapshot held the lock, a copy
 * that wanted back may have used up its five tries, and nothing but this call starts it again. Failing is no reason
 * to stop the work.
 */
export async function retryAllocations(
  { admin, log, shard }: Pick<ShardContext, 'admin' | 'log' | 'shard'>,
  signal: AbortSignal,
): Promise<void> {
  try {
    if (await admin.retryFailedAllocations({ signal })) return;
    log.warn('reroute_forbidden', 'ask an administrator for POST _cluster/reroute?retry_failed=true', {
      shard,
    });
  } catch (error) {
    if (!isClusterError(error)) throw error;
    log.warn('reroute_failed', 'a copy that has used up its tries waits for _cluster/reroute?retry_failed', {
      shard,
      reason: error.message,
    });
  }
}
