import { isOpaqueIdOf } from '@aosc/domain';
import { type Drain, drainBulks } from '../../cluster/drain';
import { retryingReads } from '../session/retrying-reads';
import type { ShardSession } from '../session/shard-session';

/**
 * Waits until no node can carry out a bulk of this shard a second time. A caller awaits this before it deletes a
 * document.
 *
 * A node may carry out a bulk once more after the bulk was answered. The node that coordinates the bulk sends it to the
 * primary's node. When that node stalls and is removed from the cluster, the coordinating node repeats the bulk on the
 * next primary, and answers. Later the stalled node goes on, finds the bulk in its buffers, and sends it to the new
 * primary itself (`ReroutePhase` of TransportReplicationAction). A broken connection can have the same effect without a
 * change of primary. As long as the target has the document, its version refuses the repetition. After a delete the
 * repetition would bring the document back.
 */
export async function awaitQuiet(session: ShardSession): Promise<void> {
  if (session.quiet.holds(session.record.writer)) return;
  const { migration, shard } = session.context;
  const isOwn = (opaqueId: string): boolean => isOpaqueIdOf(opaqueId, migration.key, shard);
  await session.quiet.become(() => retryingReads(session, () => drain(session, { matches: isOwn })));
}

/**
 * {@link awaitQuiet} for the bulks of all shards of the migration: this shard is about to delete a document of another
 * shard. This does not wait for bulks that begin after the call, because the other shards go on writing.
 */
export async function awaitQuietOfAll(session: ShardSession): Promise<void> {
  const { migration, store } = session.context;
  await retryingReads(session, async (call) => {
    const shards = await store.readShards(migration.key, migration.sourceShardCount, call);
    const writers = [session.record, ...shards.map(({ record }) => record)].map(({ writer }) => writer);
    const nodes = [...new Set(writers.flatMap((writer) => writer.nodes ?? []))];
    await drain(session, {
      matches: (opaqueId) => isOpaqueIdOf(opaqueId, migration.key),
      nodes: () => nodes,
    });
  });
}

/** @param bulks without `nodes` this waits for the nodes that may hold a bulk of this shard */
export function drain(session: ShardSession, bulks: Omit<Drain, 'nodes'> & Partial<Drain>): Promise<void> {
  const nodes = () => session.record.writer.nodes ?? [];
  return drainBulks(session.context, { nodes, onWait: () => session.showLife(), ...bulks }, session.signal);
}
