import type { Call } from '../../ports/call';
import type { PrimaryRouting } from '../../ports/index-state-port';
import { copyOf, readFromPrimaries } from '../../cluster/primaries';
import { retryingReads } from '../session/retrying-reads';
import type { TargetSnapshot } from '../session/held-snapshots';
import type { ShardSession } from '../session/shard-session';
import { closeQuietly, keepAliveAtOpening } from './snapshot-lease';

/** @returns undefined when the shard is not in the routing table */
export async function readTargetRouting(
  { context, signal }: Pick<ShardSession, 'context' | 'signal'>,
  shard: number,
): Promise<PrimaryRouting | undefined> {
  const { primaries } = await context.source.readRouting(context.migration.targetIndex, { signal });
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
    session.unclosed.hold(await closeQuietly(session.context, [held.pitId]));
  }
}

async function openOnTarget(session: ShardSession, shard: number, call: Call): Promise<TargetSnapshot> {
  const { source, target, timing, migration } = session.context;
  const index = migration.targetIndex;
  const opened: string[] = [];
  try {
    return await readFromPrimaries(source, index, call, async (primaryOf, { shape }) => {
      const primary = primaryOf(shard);
      const copy = copyOf(index, primary);
      await source.refreshCopy(copy, shape, call);
      const pitId = await target.openSnapshot(copy, keepAliveAtOpening(timing), call);
      opened.push(pitId);
      return { pitId, shard, nodeId: primary.nodeId, allocationId: primary.allocationId };
    });
  } catch (error) {
    session.unclosed.hold(await closeQuietly(session.context, opened));
    throw error;
  }
}
