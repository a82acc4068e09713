import { fenceAlias, isOpaqueIdOf, parseFenceAlias } from '@aosc/domain';
import { openFence } from './open-fence';
import { drain } from './await-quiet';
import type { ShardSession } from '../session/shard-session';

/** The session's fence: the alias of the target that its bulks name. */
export function currentFence(session: ShardSession): string {
  const { migration, shard } = session.context;
  return fenceAlias(migration.key, shard, session.epoch);
}

/**
 * Each writer of a shard has an epoch, a number that grows, and a fence for it. This makes the session's fence the
 * shard's only one, and waits until no bulk of an older epoch runs any more. To remove the older fences is not enough:
 * a bulk that waits for its primary is applied all the same, and so is a bulk on a node that has left the cluster.
 * Afterwards nothing but this session can change the target's documents of this shard.
 */
export async function closeOlderEpochs(session: ShardSession): Promise<void> {
  if (session.record.writer.fenceReady) return;
  const { shard, clock, timing, log } = session.context;
  // Some nodes may not know yet that the older fences are gone, and still let bulks through them. So this waits until
  // the requests of those bulks have timed out.
  if (!(await openFence(session))) await clock.sleep(timing.requestTimeoutMs, session.signal);
  // All bulks that the shard has sent are of older epochs. So this drain also makes the shard quiet: no node can still
  // carry out one of its bulks. It shares no drain that another caller has begun: that drain may have listed the bulks
  // before the older fences were closed.
  await session.quiet.becomeByOwnRun(() => drainOlder(session));
  await session.update((record) => ({ ...record, writer: { ...record.writer, fenceReady: true } }));
  log.info('fence_opened', 'older epochs of the shard are closed and drained', {
    shard,
    epoch: session.epoch,
  });
}

function drainOlder(session: ShardSession): Promise<void> {
  const { migration, shard } = session.context;
  const epoch = session.epoch;
  const current = currentFence(session);
  return drain(session, {
    matches: (opaqueId) => isOpaqueIdOf(opaqueId, migration.key, shard, epoch - 1),
    isClosed: (aliases) =>
      aliases.includes(current) &&
      !aliases.some((alias) => isFenceBefore(alias, migration.key, shard, epoch)),
  });
}

function isFenceBefore(alias: string, key: string, shard: number, epoch: number): boolean {
  const name = parseFenceAlias(alias);
  return name?.key === key && name.shard === shard && name.epoch < epoch;
}
