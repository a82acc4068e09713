import type { Call } from '../../ports/call';
import { isClusterError } from '../../ports/cluster-error';
import { copyOf, readFromPrimaries } from '../../cluster/primaries';
import { retryingReads } from '../session/retrying-reads';
import type { ShardSession, TargetSnapshot } from '../session/shard-session';
import { openOnCopy } from './open-on-copy';
import { tryCloseSnapshots } from './snapshot-lease';

const maxLosses = 5;

/**
 * Opens points in time on shards of the target for as long as `use` reads from them. They show everything that was
 * written before the call. The heartbeat closes a point in time whose primary fails or moves away: reads then find it
 * lost, and `use` begins again.
 * @param use must be harmless to repeat
 * @throws ClusterError 'snapshot_lost' when they were lost too often
 */
export async function withTargetSnapshots<T>(
  session: ShardSession,
  shards: readonly number[],
  use: (held: readonly TargetSnapshot[]) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const held: TargetSnapshot[] = [];
    try {
      for (const shard of shards) {
        const opened = await retryingReads(session, (call) => openOnTarget(session, shard, call));
        session.targetSnapshots.add(opened);
        held.push(opened);
      }
      return await use(held);
    } catch (error) {
      // This error is about the target's points in time: the loss of a source snapshot is a SnapshotLostError.
      if (!isClusterError(error, 'snapshot_lost') || attempt >= maxLosses) throw error;
    } finally {
      for (const one of held) session.targetSnapshots.delete(one);
      const pitIds = held.map(({ pitId }) => pitId);
      session.unclosed.push(...(await tryCloseSnapshots(session.context.target.snapshots, pitIds)));
    }
  }
}

async function openOnTarget(session: ShardSession, shard: number, call: Call): Promise<TargetSnapshot> {
  const { target, timing } = session.context;
  const opened: string[] = [];
  try {
    return await readFromPrimaries(target, call, async (primaryOf, { shape }) => {
      const primary = primaryOf(shard);
      const copy = copyOf(primary);
      await target.snapshots.refreshCopy(copy, shape, call);
      const pitId = await openOnCopy(target.snapshots, copy, timing, call, session.killSignal);
      opened.push(pitId);
      return { pitId, shard, nodeId: primary.nodeId, allocationId: primary.allocationId };
    });
  } catch (error) {
    session.unclosed.push(...(await tryCloseSnapshots(target.snapshots, opened)));
    throw error;
  }
}
