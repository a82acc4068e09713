import type { ShardWork } from './work';
import { createPageSizer, documentKeyString, targetShardsOf } from '@aosc/domain';
import type { Snapshot } from '@aosc/contract';
import type { DocumentHead, DocumentKey } from '../../ports/documents';
import { isClusterError } from '../../ports/cluster-error';
import type { Selection } from '../../ports/snapshot-port';
import { readFittingPage } from '../read/fitting-page';
import type { ShardSession } from '../session/shard-session';
import { isOfThisShard } from '../write/id-conflicts';
import { withTargetSnapshot } from '../snapshot/target-snapshot';
import { readHeads } from '../read/heads';
import { readPages } from '../read/pages';

const largestPage = 1000;
const maxTargetLosses = 5;

/**
 * Compares every document that the target holds of this shard with a snapshot of the source, by (`_id`,
 * `_routing`, `_version`): what the snapshot does not have is deleted, what differs is written again. Needed
 * when an older snapshot was lost, because its deletes can't be found by difference any more. Costs as much as
 * the shard's documents in the target (all of the target's documents under BULK_API).
 * @returns how many documents of this shard the target holds now: fewer than the snapshot has means that some
 *   are missing, which a look at the target alone can't tell by name
 */
export async function sweepTarget(work: ShardWork, snapshot: Snapshot): Promise<number> {
  const { session } = work;
  const { migration, shard, log } = session.context;
  const { shardRoutingMode, sourceShardCount, targetShardCount } = migration;
  const shards = targetShardsOf(shardRoutingMode, shard, sourceShardCount, targetShardCount);
  let seen = 0;
  let deleted = 0;
  let rewritten = 0;
  for (const targetShard of shards) {
    const counts = await sweepTargetShard(work, snapshot, targetShard);
    seen += counts.seen;
    deleted += counts.deleted;
    rewritten += counts.rewritten;
  }
  log.info('sweep_complete', 'the target was compared with the source after a lost snapshot', {
    shard,
    seen,
    deleted,
    rewritten,
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
  targetShard: number,
): Promise<SweepCounts> {
  const { session, writer } = work;
  const bulkApi = session.context.migration.shardRoutingMode === 'BULK_API';
  for (let attempt = 1; ; attempt++) {
    const counts = { seen: 0, deleted: 0, rewritten: 0 };
    try {
      for await (const heads of readTargetShard(session, targetShard)) {
        const own = bulkApi ? heads.filter((head) => isOfThisShard(session, head)) : heads;
        const { gone, different } = await compare(session, snapshot, own);
        await writer.deleteDocuments(gone);
        counts.deleted += gone.length;
        counts.rewritten += await rewrite(work, snapshot, different);
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
): AsyncGenerator<readonly DocumentHead[]> {
  return withTargetSnapshot(session, targetShard, (pitId) => readAllHeads(session, pitId));
}

async function* readAllHeads(session: ShardSession, pitId: string): AsyncGenerator<readonly DocumentHead[]> {
  const { target, timing } = session.context;
  const keepAliveMs = timing.snapshotKeepAliveMs;
  // The target may have a small `index.max_result_window`: then its first pages are refused as too large.
  const sizes = { pages: createPageSizer({ firstPage: largestPage }), limit: () => largestPage };
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
  const versions = new Map<string, string>();
  const selection: Selection = { kind: 'ids', ids: [...new Set(heads.map(({ id }) => id))] };
  for await (const found of readHeads(session, snapshot, selection)) {
    for (const head of found) versions.set(documentKeyString(head), head.version);
  }
  return {
    gone: heads.filter((head) => !versions.has(documentKeyString(head))),
    different: heads.filter((head) => {
      const version = versions.get(documentKeyString(head));
      return version !== undefined && version !== head.version;
    }),
  };
}

async function rewrite(work: ShardWork, snapshot: Snapshot, keys: readonly DocumentKey[]): Promise<number> {
  const { session, writer } = work;
  if (keys.length === 0) return 0;
  let written = 0;
  const selection: Selection = { kind: 'ids', ids: [...new Set(keys.map(({ id }) => id))] };
  for await (const page of readPages(session, snapshot, selection)) {
    await writer.writeDocuments(page.documents, snapshot);
    written += page.documents.length;
  }
  return written;
}
