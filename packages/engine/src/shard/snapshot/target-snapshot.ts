import type { Call } from '../../ports/call';
import type { IndexPorts } from '../../ports/index-ports';
import type { PrimaryRouting } from '../../ports/index-state-port';
import { copyOf, readFromPrimaries } from '../../cluster/primaries';
import { retryingReads } from '../session/retrying-reads';
import type { TargetSnapshot } from '../session/held-snapshots';
import type { ShardSession } from '../session/shard-session';
import { openOnCopy } from './open-on-copy';
import { closeQuietly } from './snapshot-lease';

/** @returns undefined when the shard is not in the routing table */
export async function readTargetRouting(
  target: IndexPorts,
  shard: number,
  signal: AbortSignal,
): Promise<PrimaryRouting | undefined> {
  const { primaries } = await target.state.readRouting({ signal });
  return primaries.find((primary) => primary.shard === shard);
}

/**
 * Opens a point in time on a shard of the target for as long as something reads from it. It shows everything that was
 * written until now. One whose primary fails or moves away is closed by the heartbeat: reads then find it lost.
 */
export async function* withTargetSnapshot<T>(
  session: ShardSession,
  shard: number,
  read: (pitId: string) => AsyncGenerator<T>,
): AsyncGenerator<T> {
  const held = await retryingReads(session, (call) => openOnTarget(session, shard, call));
  session.targetSnapshots.add(held);
  try {
    yield* read(held.pitId);
  } finally {
    session.targetSnapshots.delete(held);
    session.unclosed.hold(await closeQuietly(session.context.target.snapshots, [held.pitId]));
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
    session.unclosed.hold(await closeQuietly(target.snapshots, opened));
    throw error;
  }
}

/**
 * The same on several shards of the target at once.
 * @throws ClusterError 'snapshot_lost' when one of them is gone
 */
export async function withTargetSnapshots<T>(
  session: ShardSession,
  shards: readonly number[],
  use: (held: readonly TargetSnapshot[]) => Promise<T>,
): Promise<T> {
  const held: TargetSnapshot[] = [];
  try {
    for (const shard of shards) {
      const opened = await retryingReads(session, (call) => openOnTarget(session, shard, call));
      session.targetSnapshots.add(opened);
      held.push(opened);
    }
    return await use(held);
  } finally {
    for (const one of held) session.targetSnapshots.delete(one);
    const left = await closeQuietly(
      session.context.target.snapshots,
      held.map(({ pitId }) => pitId),
    );
    session.unclosed.hold(left);
  }
}
