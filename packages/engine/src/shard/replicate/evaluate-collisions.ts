import { allowsForOthers, documentKeyString, targetShardsOf } from '@aosc/domain';
import type { Snapshot } from '@aosc/contract';
import type { DocumentKey } from '../../ports/documents';
import { type Collisions, type CopyCollisions, describeCollisions } from '../write/collisions';
import { requireElement } from '../../require-element';
import { countFresh } from '../../cluster/primaries';
import { ShardFailedError } from '../errors';
import { retryingReads } from '../session/retrying-reads';
import type { ShardWork } from '../write/shard-work';
import { rewritesIdentity } from '../write/transform';
import { inRequests } from '../read/chunks';
import { readHeads } from '../read/pages';

const lostNamed = 10;

/**
 * Judges documents of the first copy that replaced another document in the target. Where this shard alone writes to
 * that place, the two documents are of one snapshot, and only the operator can decide. The exception is a document that
 * has met itself: when a primary dies during a bulk, the coordinating node repeats the bulk on the next primary. Where
 * other shards write to that place, too, the other document may be deleted by now. So the record keeps the names, and
 * the counts at the end decide.
 * @throws ShardFailedError when two documents have become one
 */
export async function evaluateCollisions(
  session: ShardWork,
  snapshot: Snapshot,
  collisions: CopyCollisions | undefined,
): Promise<void> {
  if (collisions === undefined) return;
  const { migration, log, shard } = session.context;
  const alone =
    migration.sourceShardCount === 1 ||
    (migration.shardRoutingMode !== 'BULK_API' && !rewritesIdentity(session));
  if (alone) {
    const lost = await findLost(session, snapshot, collisions);
    if (lost !== undefined)
      throw new ShardFailedError(describeCollisions(lost, migration.transform !== undefined));
    log.info('documents_met_themselves', 'the cluster itself repeated a bulk: no document is missing', {
      shard,
      documents: collisions.count,
    });
    return;
  }
  log.warn('documents_met', 'documents met another one in their place in the target', {
    shard,
    documents: collisions.count,
  });
  await session.update((record) => ({
    ...record,
    collisions: { count: collisions.count, first: [...collisions.first] },
  }));
}

/** @returns names of documents that have become one with another, as far as known; undefined: no document has */
async function findLost(
  session: ShardWork,
  snapshot: Snapshot,
  collisions: CopyCollisions,
): Promise<Collisions | undefined> {
  const { writer } = session;
  // In two cases only a count can show a loss: a transform has made the ids, so the source does not have them; or there
  // were too many ids to list.
  if (rewritesIdentity(session) || !collisions.areAllIds) {
    const countShowsLoss = !allowsForOthers(session.context.migration);
    return !countShowsLoss || (await isTargetShort(session, snapshot)) ? collisions : undefined;
  }
  const lost: string[] = [];
  for (const ids of inRequests(collisions.ids)) {
    const twins = await findTwins(session, snapshot, ids);
    if (twins.length === 0) continue;
    // Only twins in one target shard take each other's place.
    const found = await writer.lookUp(twins);
    twins.forEach(({ id, routing }, i) => {
      const document = requireElement(found, i);
      if (writer.refusals.has({ id, routing })) return;
      if (!document.found || document.routing !== routing) lost.push(`[${id}]`);
    });
  }
  return lost.length === 0 ? undefined : { count: lost.length, first: lost.slice(0, lostNamed) };
}

/**
 * Documents of the snapshot that share an id with another document of it: possible in a shard that a `_shrink` made.
 */
async function findTwins(
  session: ShardWork,
  snapshot: Snapshot,
  ids: readonly string[],
): Promise<readonly DocumentKey[]> {
  const byId = new Map<string, Map<string, DocumentKey>>();
  for await (const heads of readHeads(session, snapshot, { kind: 'ids', ids })) {
    for (const { id, routing } of heads) {
      const same = byId.get(id) ?? new Map<string, DocumentKey>();
      byId.set(id, same.set(documentKeyString({ id, routing }), { id, routing }));
    }
  }
  return [...byId.values()].flatMap((same) => (same.size > 1 ? [...same.values()] : []));
}

/** Whether the target holds too few documents. The count shows it, because no other shard writes there. */
async function isTargetShort(session: ShardWork, snapshot: Snapshot): Promise<boolean> {
  const { target, migration, shard } = session.context;
  const expected = snapshot.documentCount - session.writer.refusals.keys.length;
  const counts = await retryingReads(session, (call) => countFresh(target, call));
  const own = migration.sourceShardCount === 1 ? [...counts.keys()] : targetShardsOf(migration, shard);
  return own.reduce((sum, each) => sum + (counts.get(each) ?? 0), 0) < expected;
}
