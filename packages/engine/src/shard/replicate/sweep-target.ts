import type { ShardWork } from './work';
import { writeKeys } from './write-pages';
import { createPageSizer, type DocumentPrints, documentKeyString, targetShardsOf } from '@aosc/domain';
import type { Snapshot } from '@aosc/contract';
import type { DocumentHead, DocumentKey } from '../../ports/documents';
import { isClusterError } from '../../ports/cluster-error';
import { readFittingPage } from '../read/fitting-page';
import type { ShardSession } from '../session/shard-session';
import { isOfThisShard } from '../write/id-conflicts';
import { unrecordedKeepAlive } from '../snapshot/open-on-copy';
import { withTargetSnapshot } from '../snapshot/target-snapshot';
import { findPresent, headsPageSize } from '../read/heads';
import { withPrints } from '../read/snapshot-prints';

/** A page of heads that may be looked up by their ids. */
const largestPage = 1000;
const maxTargetLosses = 5;

/** How a document of the target is found to be one of the source. */
type SweepLook =
  /** by its print, where the prints of all of the snapshot's documents fit into memory: half the work for the node */
  | 'by_print'
  /** each by its id */
  | 'each';

/**
 * Compares every document that the target holds of this shard with a snapshot of the source, by (`_id`,
 * `_routing`, `_version`): what the snapshot does not have is deleted, what differs is written again. Needed
 * when an older snapshot was lost, because its deletes can't be found by difference any more. Costs as much as
 * the shard's documents in the target (all of the target's documents under BULK_API).
 * @param look left out: by print where there is room for that
 * @returns how many documents of this shard the target holds now: fewer than the snapshot has means that some
 *   are missing, which a look at the target alone can't tell by name; and how it was done
 */
export async function sweepTarget(
  work: ShardWork,
  snapshot: Snapshot,
  look: SweepLook = 'by_print',
): Promise<{ readonly held: number; readonly look: SweepLook }> {
  if (look === 'each') return { held: await sweepShards(work, snapshot, undefined), look };
  return withPrints(work.session, snapshot, async (prints) => ({
    held: await sweepShards(work, snapshot, prints),
    look: prints === undefined ? 'each' : 'by_print',
  }));
}

async function sweepShards(
  work: ShardWork,
  snapshot: Snapshot,
  prints: DocumentPrints | undefined,
): Promise<number> {
  const { session } = work;
  const { migration, shard, log } = session.context;
  const { shardRoutingMode, sourceShardCount, targetShardCount } = migration;
  const shards = targetShardsOf(shardRoutingMode, shard, sourceShardCount, targetShardCount);
  let seen = 0;
  let deleted = 0;
  let rewritten = 0;
  for (const targetShard of shards) {
    const counts = await sweepTargetShard(work, snapshot, prints, targetShard);
    seen += counts.seen;
    deleted += counts.deleted;
    rewritten += counts.rewritten;
  }
  log.info('sweep_complete', 'the target was compared with the source after a lost snapshot', {
    shard,
    seen,
    deleted,
    rewritten,
    byPrint: prints !== undefined,
  });
  return seen - deleted;
}

interface SweepCounts {
  readonly seen: number;
  readonly deleted: number;
  readonly rewritten: number;
}

/** One shard of the target; begun again when the point in time on it is lost, which repeats nothing but reads. */
async function sweepTargetShard(
  work: ShardWork,
  snapshot: Snapshot,
  prints: DocumentPrints | undefined,
  targetShard: number,
): Promise<SweepCounts> {
  const { session, writer } = work;
  const bulkApi = session.context.migration.shardRoutingMode === 'BULK_API';
  for (let attempt = 1; ; attempt++) {
    const counts = { seen: 0, deleted: 0, rewritten: 0 };
    try {
      for await (const heads of readTargetShard(
        session,
        targetShard,
        prints === undefined ? largestPage : headsPageSize,
      )) {
        const own = bulkApi ? heads.filter((head) => isOfThisShard(session, head)) : heads;
        const doubted = prints === undefined ? own : own.filter((head) => !prints.has(head));
        const { gone, different } = await compare(session, snapshot, doubted);
        await writer.deleteDocuments(gone);
        counts.deleted += gone.length;
        counts.rewritten += await writeKeys(work, snapshot, different);
        counts.seen += own.length;
      }
      return counts;
    } catch (error) {
      if (!isClusterError(error, 'snapshot_lost') || attempt >= maxTargetLosses) throw error;
    }
  }
}

function readTargetShard(
  session: ShardSession,
  targetShard: number,
  pageSize: number,
): AsyncGenerator<readonly DocumentHead[]> {
  return withTargetSnapshot(session, targetShard, (pitId) => readAllHeads(session, pitId, pageSize));
}

async function* readAllHeads(
  session: ShardSession,
  pitId: string,
  pageSize: number,
): AsyncGenerator<readonly DocumentHead[]> {
  const { target, timing } = session.context;
  const keepAliveMs = unrecordedKeepAlive(timing);
  // The target may have a small `index.max_result_window`: then its first pages are refused as too large.
  const sizes = { pages: createPageSizer({ firstPage: pageSize }), limit: () => pageSize };
  let after: string | undefined;
  for (;;) {
    const from = { pitId, keepAliveMs, ...(after === undefined ? {} : { after }) };
    const { page, isLast } = await readFittingPage(session, sizes, (size, call) =>
      target.snapshots.readAllHeads({ ...from, size }, call),
    );
    if (page.documents.length > 0) yield page.documents;
    if (isLast) return;
    after = page.next;
  }
}

async function compare(
  session: ShardSession,
  snapshot: Snapshot,
  heads: readonly DocumentHead[],
): Promise<{ gone: readonly DocumentKey[]; different: readonly DocumentKey[] }> {
  if (heads.length === 0) return { gone: [], different: [] };
  const versions = await findPresent(session, snapshot, heads);
  return {
    gone: heads.filter((head) => !versions.has(documentKeyString(head))),
    different: heads.filter((head) => {
      const version = versions.get(documentKeyString(head));
      return version !== undefined && version !== head.version;
    }),
  };
}
