import type { Snapshot } from '@aosc/contract';
import { timeLimit } from '@aosc/signals';
import type { Call } from '../../ports/call';
import { ClusterError, isClusterError, instead } from '../../ports/cluster-error';
import type { PrimaryCheckpoint, PrimaryRouting } from '../../ports/index-state-port';
import type { SnapshotPort } from '../../ports/snapshot-port';
import type { ShardContext } from '../context';
import { PrimaryElsewhereError } from '../errors';
import type { ShardSession } from '../session/shard-session';
import { copyOf, isSamePrimary, type StartedPrimary } from '../../cluster/primaries';
import { openOnCopy, unrecordedKeepAlive } from './open-on-copy';
import { lookAtPrimary, lookAtSource, primaryIn, type PrimaryLook, type SourceLook } from './source-look';

const stablePollMs = 50;
const maxAttempts = 60;

/**
 * Opens a snapshot of the shard that no failover can roll back. After the opening the global checkpoint must reach
 * every operation that the snapshot shows, under the same allocation and primary term. Otherwise a delete that was
 * never acknowledged could be copied and then be rolled back by a failover: a lost document.
 *
 * Checkpoint, refresh, opening and the second checkpoint all come from the node that holds the primary by the cluster's
 * state. If they came from two nodes, one could be a former primary and the other its successor. Then the snapshot
 * would lack the operations between the two.
 *
 * The snapshot lives for seconds: the caller writes it into a record, and then pushes its expiry away
 * (`touchSnapshot`).
 * @param after the snapshot that the new one follows; left out: there was none before, or it was lost
 * @throws ShardFailedError when the index is not the one the migration started with
 * @throws PrimaryElsewhereError when the job's permit is another node's
 * @throws ClusterError transient when the primary is not stable for minutes
 */
export async function openLease(session: ShardSession, call: Call, after?: Snapshot): Promise<Snapshot> {
  const { context } = session;
  const kept = session.takeLook();
  for (let attempt = 1; ; attempt++) {
    const look = (attempt === 1 ? kept : undefined) ?? lookAtSource(context, call.signal);
    const snapshot = await tryOpenLease(session, call, after, await look);
    if (snapshot !== undefined) return snapshot;
    if (attempt >= maxAttempts) {
      throw new ClusterError(
        'transient',
        `no stable snapshot of source shard [${context.shard}]: its primary is not started, keeps moving, ` +
          'or its global checkpoint stays behind; check the health of the source index',
      );
    }
    await context.clock.sleep(Math.min(stablePollMs * attempt, 2000), call.signal);
  }
}

async function tryOpenLease(
  session: ShardSession,
  call: Call,
  after: Snapshot | undefined,
  { routing, checkpoint }: SourceLook,
): Promise<Snapshot | undefined> {
  const { context } = session;
  const { migration, timing, clock } = context;
  const { snapshots } = context.source;
  const { signal } = call;
  const primary = primaryIn(routing, context.shard);
  if (!isStable(primary, checkpoint)) return undefined;
  // The cluster state is out of date: the shard has had a primary of a later term.
  if (after !== undefined && primary.primaryTerm < after.primaryTerm) return undefined;
  if (context.permit !== undefined && primary.nodeId !== context.permit.nodeId) {
    throw new PrimaryElsewhereError(`the primary is on node [${primary.nodeId}]`);
  }
  const copy = copyOf(primary);
  let pitId: string;
  try {
    await snapshots.refreshCopy(copy, routing.shape, call);
    pitId = await openOnCopy(snapshots, copy, timing, call, session.killSignal);
  } catch (error) {
    if (isNotThere(error)) return undefined;
    throw error;
  }
  const close = async (): Promise<void> => {
    session.unclosed.push(...(await tryCloseSnapshots(snapshots, [pitId])));
  };
  try {
    const [measured, first] = await Promise.all([
      snapshots.measure(pitId, unrecordedKeepAlive(timing), call),
      lookAtPrimary(context, signal),
    ]);
    if (!(await isSafeSoon(context, measured.maxSeqNo, { before: { primary, checkpoint }, first }, signal))) {
      await close();
      return undefined;
    }
    return {
      pitId,
      nodeId: primary.nodeId,
      allocationId: primary.allocationId,
      primaryTerm: primary.primaryTerm,
      // This field is for an earlier version of the service, which compares it between two snapshots.
      indexUuid: migration.sourceUuid,
      historyUuid: checkpoint.historyUuid,
      checkpoint: checkpoint.globalCheckpoint,
      maxSeqNo: measured.maxSeqNo,
      seenMaxSeqNo: checkpoint.maxSeqNo,
      documentCount: measured.documentCount,
      openedAtMillis: clock.now(),
    };
  } catch (error) {
    await close();
    if (isClusterError(error, 'snapshot_lost')) return undefined;
    throw error;
  }
}

/**
 * The asked node knows of no copy on the named node, or the named node has none any more: either node was away, or the
 * shard has just moved.
 */
function isNotThere(error: unknown): boolean {
  if (!isClusterError(error, 'transient')) return false;
  return (
    error.message.includes('no data nodes with criteria') || error.message.includes('No shard available for')
  );
}

function isStable(primary: PrimaryRouting, checkpoint: PrimaryCheckpoint): primary is StartedPrimary {
  return (
    primary.state === 'STARTED' &&
    primary.allocationId !== undefined &&
    checkpoint.state === 'STARTED' &&
    checkpoint.nodeId === primary.nodeId &&
    checkpoint.copiesAnswered >= primary.activeCopies
  );
}

/**
 * Waits until the global checkpoint of the snapshot's primary has reached everything that the snapshot shows. The bound
 * is the shard's max_seq_no, read after the opening. The highest number among the documents is not enough: a delete
 * that the snapshot already shows has left no document behind.
 *
 * The global checkpoint follows within milliseconds. With `translog.durability: async` it follows only at a sync, which
 * a flush forces.
 * @param looks at the primary before the snapshot was opened, and the first one afterwards
 * @returns false when the primary is not the same any more, or its checkpoint stays behind: another snapshot is needed
 */
async function isSafeSoon(
  context: ShardContext,
  maxSeqNoOfDocuments: number,
  { before, first }: Readonly<Record<'before' | 'first', PrimaryLook>>,
  signal: AbortSignal,
): Promise<boolean> {
  const { historyUuid, nodeId, copiesAnswered } = before.checkpoint;
  const bound = Math.max(maxSeqNoOfDocuments, first.checkpoint.maxSeqNo);
  for (let attempt = 0; attempt < 40; attempt++) {
    const { primary, checkpoint: now } = attempt === 0 ? first : await lookAtPrimary(context, signal);
    if (!isSamePrimary(before.primary, primary) || primary.state !== 'STARTED') return false;
    // The checkpoint must be the same node's: two copies may give one number to different unacknowledged operations.
    if (now.historyUuid !== historyUuid || now.nodeId !== nodeId) return false;
    // A copy that no longer answers may have become the primary.
    if (now.copiesAnswered < copiesAnswered) return false;
    if (now.globalCheckpoint >= bound) return true;
    if (attempt % 10 === 4) await context.source.state.flush({ signal });
    else await context.clock.sleep(stablePollMs, signal);
  }
  return false;
}

/**
 * Tries to close points in time even after the work was aborted: each of them keeps disk space and a shard's lock.
 * @returns those that are not known to be closed
 */
export async function tryCloseSnapshots(
  snapshots: Pick<SnapshotPort, 'close'>,
  pitIds: readonly string[],
  limitMs = 5000,
): Promise<readonly string[]> {
  if (pitIds.length === 0) return [];
  return snapshots.close(pitIds, { signal: timeLimit(limitMs) }).catch(instead(pitIds, isClusterError));
}
