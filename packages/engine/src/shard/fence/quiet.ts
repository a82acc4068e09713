import { isOpaqueIdOf, nodeIdOf, type NodeRun } from '@aosc/domain';
import { isClusterError } from '../../ports/cluster-error';
import { repeatTransient } from '../../ports/repeat-transient';
import { type DrainContext, drainLimitMs, presentMembers, whileDraining } from '../../cluster/drain';
import { retryingReads } from '../session/retrying-reads';
import type { ShardSession } from '../session/shard-session';

const pollMs = 100;

/**
 * Makes sure, before something is deleted, that no document that this shard has sent can come once more.
 *
 * A bulk that was answered may be carried out again. A node that coordinates it sends it to the primary's node; when that
 * one stalls and is removed from the cluster, the bulk is repeated on the next primary, and answered. Later the first node
 * goes on, finds the bulk in its buffers, and sends it to the new primary itself (`ReroutePhase` of
 * TransportReplicationAction). A broken connection has the same effect within one term. A document that comes again over
 * one that is there is refused by its version; over one that was deleted since, it would be back.
 */
export async function awaitQuiet(session: ShardSession): Promise<void> {
  if (session.quiet.holds(session.record.writer)) return;
  const { migration, shard } = session.context;
  await session.quiet.become(() =>
    retryingReads(session, () =>
      awaitEnds(
        session.context,
        {
          matches: (opaqueId) => isOpaqueIdOf(opaqueId, migration.key, shard),
          nodes: () => session.record.writer.nodes ?? [],
          onWait: () => session.showLife(),
        },
        session.signal,
      ),
    ),
  );
}

/**
 * The same for what all shards of the migration have sent, before a document is deleted that another of them has written.
 * Bulks that begin after the call are not waited for: the other shards go on.
 */
export async function awaitQuietOfAll(session: ShardSession): Promise<void> {
  const { migration, store } = session.context;
  await retryingReads(session, async (call) => {
    const shards = await store.readShards(migration.key, migration.sourceShardCount, call);
    const nodes = new Set(shards.flatMap(({ record }) => record.writer.nodes ?? []));
    for (const run of session.record.writer.nodes ?? []) nodes.add(run);
    await awaitEnds(
      session.context,
      {
        matches: (opaqueId) => isOpaqueIdOf(opaqueId, migration.key),
        nodes: () => [...nodes],
        onWait: () => session.showLife(),
      },
      session.signal,
    );
  });
}

interface Bulks {
  /** by their `X-Opaque-Id` */
  readonly matches: (opaqueId: string) => boolean;
  /** which may hold one of them */
  readonly nodes: () => readonly NodeRun[];
  readonly onWait: () => void;
}

/** Waits until no node is away that may hold one of the bulks, and all those that run now have ended. */
async function awaitEnds(context: DrainContext, bulks: Bulks, signal: AbortSignal): Promise<void> {
  const { clock, target } = context;
  const deadline = clock.monotonic() + drainLimitMs + context.nodes.waitMs;
  const list = () => listTasks(target, bulks, signal);
  for (;;) {
    const members = await presentMembers(context, { ...bulks, isClosed: () => true }, signal);
    let waitedFor: readonly string[] | undefined;
    for (;;) {
      const tasks = await repeatTransient(list, clock, signal, whileDraining);
      if (tasks === undefined) return;
      // One that has left meanwhile may hold what it has not told.
      const haveTold = members.every((run) => tasks.answered.includes(nodeIdOf(run)));
      waitedFor = (waitedFor ?? tasks.running).filter((task) => tasks.running.includes(task));
      if (haveTold && waitedFor.length === 0) return;
      if (clock.monotonic() > deadline) throw new Error('bulks of the shard do not end');
      bulks.onWait();
      await clock.sleep(pollMs, signal);
      if (!haveTold) break;
    }
  }
}

/** @returns undefined where `_tasks` is not allowed: only the members tell then */
async function listTasks(target: DrainContext['target'], { matches }: Bulks, signal: AbortSignal) {
  try {
    return await target.tasks.listBulks(matches, { signal });
  } catch (error) {
    if (isClusterError(error, 'forbidden')) return undefined;
    throw error;
  }
}
