import { fenceAlias, fencePattern, isOpaqueIdOf } from '@aosc/domain';
import { isClusterError } from '../ports/cluster-error';
import type { ShardContext } from './context';
import type { ShardSession } from './shard-session';

const drainPollMs = 100;
/** A bulk waits for its primary for a minute at the most, then for its replicas: ten minutes is far beyond both. */
const drainLimitMs = 600_000;

/** The alias through which the session's writes go. */
export function currentFence(session: ShardSession): string {
  const { migration, shard } = session.context;
  return fenceAlias(migration.key, shard, session.epoch);
}

/**
 * Makes the fence of the session's epoch the shard's only one and waits until no bulk of an older epoch runs
 * any more. Removing the alias alone is not enough: a bulk that waits for its primary is applied all the same.
 * Afterwards nothing but this session can change the target's documents of this shard.
 */
export async function closeOlderEpochs(session: ShardSession): Promise<void> {
  if (session.record.writer.fenceReady) return;
  const { admin, migration, shard, clock, timing, log } = session.context;
  const target = migration.targetIndex;
  const current = currentFence(session);
  const open = await admin.listAliases(target, fencePattern(migration.key, shard), {
    signal: session.signal,
  });
  const older = open.filter((alias) => alias !== current);
  session.assertOwned();
  const update = await admin.updateAliases(
    [
      ...older.map((alias) => ({ remove: { index: target, alias, must_exist: false } })),
      { add: { index: target, alias: current, is_hidden: true } },
    ],
    { signal: session.signal },
  );
  if (update.type === 'missing') {
    await session.verify();
    throw session.lose(`the target index can't take a fence: ${update.reason}`);
  }
  // A node that has not applied the removal yet still lets writes through: its requests time out within this.
  if (update.type === 'unacknowledged') await clock.sleep(timing.requestTimeoutMs, session.signal);
  await drain(session);
  await session.update((record) => ({ ...record, writer: { ...record.writer, fenceReady: true } }));
  log.info('fence_opened', 'older epochs of the shard are closed and drained', {
    shard,
    epoch: session.epoch,
  });
}

async function drain(session: ShardSession): Promise<void> {
  const { migration, shard } = session.context;
  const epoch = session.epoch;
  await drainBulks(
    session.context,
    (opaqueId) => isOpaqueIdOf(opaqueId, migration.key, shard, epoch - 1),
    session.signal,
  );
}

/** Waits until no bulk with a matching `X-Opaque-Id` is running on any node. */
export async function drainBulks(
  context: Pick<ShardContext, 'target' | 'clock' | 'log'> & {
    readonly timing: { readonly requestTimeoutMs: number };
  },
  matches: (opaqueId: string) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const { target, clock, timing, log } = context;
  const deadline = clock.monotonic() + drainLimitMs;
  for (let failures = 0; ;) {
    try {
      const tasks = await target.listWriteTasks(matches, { signal });
      if (tasks.length === 0) return;
      failures = 0;
    } catch (error) {
      if (isClusterError(error, 'forbidden')) {
        log.warn('drain_by_time', '_tasks is not allowed: waiting out the request time-out instead');
        await clock.sleep(timing.requestTimeoutMs, signal);
        return;
      }
      if (!isClusterError(error, 'transient', 'overload') || ++failures > 20) throw error;
    }
    if (clock.monotonic() > deadline) throw new Error('bulks of an older epoch do not end');
    await clock.sleep(drainPollMs, signal);
  }
}
