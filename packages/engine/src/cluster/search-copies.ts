import { type IndexRoutingShape, shardOf, type TargetDocument } from '@aosc/domain';
import { timeLimit } from '@aosc/signals';
import type { Call } from '../ports/call';
import { ignoreClusterErrors } from '../ports/cluster-error';
import type { DocumentHead, DocumentKey } from '../ports/documents';
import type { IndexPorts } from '../ports/index-ports';
import type { ShardCopy } from '../ports/index-state-port';

const keepAliveMs = 10_000;
const closeLimitMs = 5_000;
/** The most ids in one search: far below any `index.max_result_window`. */
const idsPerPage = 100;

/**
 * Looks documents up, as they are now, on the copies of one node. This is for clusters that refuse a realtime read
 * which names a node (`isNodeRefused`). It refreshes each copy, and searches a point in time on it, whose id shows
 * which node has opened it.
 * @returns in the order of the keys
 * @throws ClusterError 'transient' when another node has answered
 */
export async function searchCopies(
  { snapshots }: Pick<IndexPorts, 'snapshots'>,
  { keys, nodeId, shape }: { keys: readonly DocumentKey[]; nodeId: string; shape: IndexRoutingShape },
  call: Call,
): Promise<readonly TargetDocument[]> {
  const idsOf = new Map<number, Set<string>>();
  for (const key of keys) {
    const shard = shardOf(key, shape);
    idsOf.set(shard, (idsOf.get(shard) ?? new Set()).add(key.id));
  }
  const found = new Map<number, ReadonlyMap<string, DocumentHead>>();
  await Promise.all(
    [...idsOf].map(async ([shard, ids]) => {
      const copy = { shard, nodeId };
      await snapshots.refreshCopy(copy, shape, call);
      found.set(shard, await readHeads(snapshots, copy, [...ids], call));
    }),
  );
  return keys.map((key) => {
    const head = found.get(shardOf(key, shape))?.get(key.id);
    return head === undefined ? { found: false } : { ...head, found: true };
  });
}

async function readHeads(
  snapshots: IndexPorts['snapshots'],
  copy: ShardCopy,
  ids: readonly string[],
  call: Call,
): Promise<ReadonlyMap<string, DocumentHead>> {
  const pitId = await snapshots.open(copy, keepAliveMs, call);
  try {
    const heads = new Map<string, DocumentHead>();
    for (let from = 0; from < ids.length; from += idsPerPage) {
      const some = ids.slice(from, from + idsPerPage);
      const request = {
        pitId,
        keepAliveMs,
        selection: { kind: 'ids', ids: some },
        size: some.length,
      } as const;
      const { documents } = await snapshots.readHeads(request, call);
      for (const head of documents) heads.set(head.id, head);
    }
    return heads;
  } finally {
    // A point in time that can't be closed now ends with its keep-alive.
    await snapshots.close([pitId], { signal: timeLimit(closeLimitMs) }).catch(ignoreClusterErrors);
  }
}
