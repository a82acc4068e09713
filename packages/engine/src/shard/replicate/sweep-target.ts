import { requireElement } from '../../require-element';
import { writeKeys } from './write-pages';
import { type DocumentPrints, documentKeyString, targetShardsOf } from '@aosc/domain';
import type { Snapshot } from '@aosc/contract';
import type { DocumentHead, DocumentKey } from '../../ports/documents';
import type { Selection } from '../../ports/snapshot-port';
import type { ShardWork } from '../write/shard-work';
import { awaitQuiet } from '../fence/await-quiet';
import { isOfThisShard } from '../write/id-conflicts';
import { withTargetSnapshots } from '../snapshot/target-snapshot';
import { checkKeys } from '../read/check-keys';
import { findHeads, readHeads } from '../read/pages';
import { withPrints } from '../read/snapshot-prints';

export const everything: Selection = { kind: 'range', from: 0, to: Number.MAX_SAFE_INTEGER };

/** How a sweep finds a document of the target in the source. */
type SweepLook =
  /** by its print (a short hash), where the prints of the whole snapshot fit into memory: half the work for the node */
  | 'by_print'
  /** each by its id */
  | 'each';

/**
 * Compares every document that the target holds of this shard with a snapshot of the source, by (`_id`, `_routing`,
 * `_version`). It deletes what the snapshot does not have, and writes what differs. A shard needs this after the loss
 * of an older snapshot: only the lost snapshot could show which documents were deleted since. The sweep reads all of
 * the shard's documents in the target (all of the target's documents under BULK_API).
 * @param look left out: by print where there is memory for that
 * @returns how many documents of this shard the target holds now, and how the sweep looked. If the snapshot has more,
 *   the target lacks some. The sweep reads what the target holds, so it can't name those
 */
export async function sweepTarget(
  session: ShardWork,
  snapshot: Snapshot,
  look: SweepLook = 'by_print',
): Promise<{ readonly held: number; readonly look: SweepLook }> {
  if (look === 'each') return { held: await sweepShards(session, snapshot, undefined), look };
  return withPrints(session, snapshot, async (prints) => ({
    held: await sweepShards(session, snapshot, prints),
    look: prints === undefined ? 'each' : 'by_print',
  }));
}

/**
 * Makes the target hold the documents with these ids as the snapshot has them. It writes each of them: two documents
 * that a verification has found to differ may have the same version.
 */
export async function repairIds(
  session: ShardWork,
  snapshot: Snapshot,
  ids: readonly string[],
): Promise<void> {
  const selection = { kind: 'ids', ids } as const;
  await awaitQuiet(session);
  await sweepShards(session, snapshot, undefined, selection);
  for await (const heads of readHeads(session, snapshot, selection))
    await writeKeys(session, snapshot, heads);
}

async function sweepShards(
  session: ShardWork,
  snapshot: Snapshot,
  prints: DocumentPrints | undefined,
  selection: Selection = everything,
): Promise<number> {
  const { migration, shard, log } = session.context;
  let seen = 0;
  let deleted = 0;
  let rewritten = 0;
  for (const targetShard of targetShardsOf(migration, shard)) {
    const counts = await sweepTargetShard(session, snapshot, { prints, targetShard, selection });
    seen += counts.seen;
    deleted += counts.deleted;
    rewritten += counts.rewritten;
  }
  log.info(
    'sweep_complete',
    'the target was compared with the source after a lost snapshot, or was repaired',
    {
      shard,
      seen,
      deleted,
      rewritten,
      byPrint: prints !== undefined,
    },
  );
  return seen - deleted;
}

interface SweepPart {
  readonly prints: DocumentPrints | undefined;
  readonly targetShard: number;
  readonly selection: Selection;
}

/**
 * Sweeps one shard of the target. When the point in time on the target is lost, this begins again: it reads a second
 * time what it has repaired, and does not write that again.
 */
async function sweepTargetShard(
  session: ShardWork,
  snapshot: Snapshot,
  { prints, targetShard, selection }: SweepPart,
) {
  const { writer } = session;
  const bulkApi = session.context.migration.shardRoutingMode === 'BULK_API';
  return withTargetSnapshots(session, [targetShard], async (held) => {
    const counts = { seen: 0, deleted: 0, rewritten: 0 };
    const { pitId } = requireElement(held, 0);
    const view = { pitId, linked: [{ pitId, upTo: Infinity }] };
    for await (const heads of readHeads(session, view, selection)) {
      const own = bulkApi ? heads.filter((head) => isOfThisShard(session, head)) : heads;
      const doubted = prints === undefined ? own : own.filter((head) => !prints.has(head));
      const { gone, different } = await compare(session, snapshot, doubted);
      if (session.context.migration.files !== undefined) await checkKeys(session, gone);
      await writer.deleteDocuments(gone);
      counts.deleted += gone.length;
      counts.rewritten += await writeKeys(session, snapshot, different);
      counts.seen += own.length;
    }
    return counts;
  });
}

async function compare(
  session: ShardWork,
  snapshot: Snapshot,
  heads: readonly DocumentHead[],
): Promise<{ gone: readonly DocumentKey[]; different: readonly DocumentKey[] }> {
  if (heads.length === 0) return { gone: [], different: [] };
  const found = await findHeads(session, snapshot, heads);
  return {
    gone: heads.filter((head) => !found.has(documentKeyString(head))),
    different: heads.filter((head) => (found.get(documentKeyString(head)) ?? head).version !== head.version),
  };
}
