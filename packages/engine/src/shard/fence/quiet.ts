import { isOpaqueIdOf } from '@aosc/domain';
import { drainBulks } from '../../cluster/drain';
import { retryingReads } from '../session/retrying-reads';
import type { ShardSession } from '../session/shard-session';

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
  const bulks = {
    matches: (opaqueId: string) => isOpaqueIdOf(opaqueId, migration.key, shard),
    nodes: () => session.record.writer.nodes ?? [],
    onWait: () => session.showLife(),
  };
  await session.quiet.become(() =>
    retryingReads(session, () => drainBulks(session.context, bulks, session.signal)),
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
    const writers = [session.record, ...shards.map(({ record }) => record)].map(({ writer }) => writer);
    const nodes = [...new Set(writers.flatMap((writer) => writer.nodes ?? []))];
    const bulks = {
      matches: (opaqueId: string) => isOpaqueIdOf(opaqueId, migration.key),
      nodes: () => nodes,
      onWait: () => session.showLife(),
    };
    await drainBulks(session.context, bulks, session.signal);
  });
}
