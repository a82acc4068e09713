import { timeLimit } from '@aosc/signals';
import type { PrimaryRouting } from '../ports/source-port';
import { retryingReads } from './retrying-reads';
import type { ShardSession } from './shard-session';
import { keepAliveAtOpening } from './snapshot-lease';

/** A point in time on a shard of the target. It keeps that shard's lock, so the heartbeat looks after it. */
export interface TargetSnapshot {
  readonly pitId: string;
  /** of the target */
  readonly shard: number;
  /** where the primary was before the opening */
  readonly nodeId: string;
  readonly allocationId: string;
}

/** @returns undefined when the shard is not in the routing table */
export async function readTargetRouting(
  { context, signal }: Pick<ShardSession, 'context' | 'signal'>,
  shard: number,
): Promise<PrimaryRouting | undefined> {
  const { primaries } = await context.source.readRouting(context.migration.targetIndex, { signal });
  return primaries.find((primary) => primary.shard === shard);
}

/**
 * Opens a point in time on a shard of the target for as long as something reads from it. One whose primary fails or
 * moves away is closed by the heartbeat: reads then find it lost.
 */
export async function* withTargetSnapshot<T>(
  session: ShardSession,
  shard: number,
  read: (pitId: string) => AsyncGenerator<T>,
): AsyncGenerator<T> {
  const { target, migration, timing, log } = session.context;
  const before = await retryingReads(session, () => readTargetRouting(session, shard));
  const pitId = await retryingReads(session, (call) =>
    target.openSnapshot(migration.targetIndex, shard, keepAliveAtOpening(timing), call),
  );
  const { nodeId = '', allocationId = '' } = before ?? {};
  const held: TargetSnapshot = { pitId, shard, nodeId, allocationId };
  session.targetSnapshots.add(held);
  try {
    yield* read(pitId);
  } finally {
    session.targetSnapshots.delete(held);
    await target.closeSnapshots([pitId], { signal: timeLimit(5000) }).catch((error: unknown) => {
      log.warn('close_failed', 'a point in time of the target expires by itself', { reason: String(error) });
    });
  }
}
