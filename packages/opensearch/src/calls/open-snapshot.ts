import { createParser } from '@aosc/contract';
import {
  type SnapshotPort,
  type Call,
  ClusterError,
  ignoreClusterErrors,
  type ShardCopy,
} from '@aosc/engine';
import { graceAfter, isAborted, timeLimit } from '@aosc/signals';
import { Type } from '@sinclair/typebox';
import { closeSnapshots } from './close-snapshots';
import { fromNodeOrPrimary, onlyNode } from './only-node';
import { ShardsSchema } from './shapes';
import type { AsksOf } from '../bind-calls';
import { requestJson, type OpenSearchClient } from '../client/request';
import { indexPath } from '../index-path';

const parse = createParser(
  'answer of _search/point_in_time',
  Type.Object({ pit_id: Type.String({ minLength: 1 }), _shards: ShardsSchema }),
);

/** For this long an opening may go on, and its point in time be closed, after its caller has gone. */
const graceMs = 2000;

/**
 * `POST {index}/_search/point_in_time` on one copy of one shard. `allow_partial_pit_creation` is true by default and
 * would return a snapshot of nothing. The name must be the concrete index: through an alias OpenSearch would silently
 * filter the snapshot by the alias's filter.
 *
 * `_only_nodes:` and not `_primary`: the coordinating node decides which copy is the primary, and a node that was away
 * took itself for it. The id holds the id of the node that has opened it (`SearchContextId`), and this compares the
 * two.
 *
 * OpenSearch also executes a request whose connection is cut, and then no process knows the id: the shard's files stay
 * pinned, and its lock held, until the keep-alive ends. So this lets an opening finish within seconds even when its
 * caller has gone, and closes it again.
 * @throws ClusterError 'transient' when that node has no copy of the shard, or another one has opened it
 * @throws ClusterError 'aborted' when the caller has gone meanwhile
 */
export const openSnapshot: AsksOf<SnapshotPort['open']> = async (
  client,
  index,
  { shard, nodeId },
  keepAliveMs,
  call,
) => {
  if (call.signal.aborted) throw gone(index, shard);
  const grace = graceAfter(call.signal, graceMs);
  try {
    const pitId = await openOn(client, index, { shard, nodeId }, keepAliveMs, {
      ...call,
      signal: grace.signal,
    });
    if (!isAborted(call.signal)) return pitId;
    // If it can't be closed now, it ends with its keep-alive.
    await closeSnapshots(client, [pitId], { ...call, signal: timeLimit(graceMs) }).catch(ignoreClusterErrors);
    throw gone(index, shard);
  } finally {
    grace.end();
  }
};

async function openOn(
  client: OpenSearchClient,
  index: string,
  { shard, nodeId }: ShardCopy,
  keepAliveMs: number,
  call: Call,
): Promise<string> {
  const open = (copy: string) => {
    const query = {
      keep_alive: `${keepAliveMs}ms`,
      preference: `_shards:${shard}|${copy}`,
      allow_partial_pit_creation: false,
    };
    const path = `/${indexPath(index)}/_search/point_in_time`;
    return requestJson(client, { method: 'POST', path, query }, parse, call);
  };
  const { pit_id, _shards } = await fromNodeOrPrimary(
    client,
    () => open(onlyNode(nodeId)),
    () => open('_primary'),
  );
  if (_shards.total !== 1 || _shards.successful !== 1 || _shards.failed !== 0) {
    throw new ClusterError(
      'transient',
      `point in time of ${index}[${shard}]: ${_shards.successful} of ${_shards.total} shards, one was wanted`,
    );
  }
  if (isSnapshotOf(pit_id, nodeId)) return pit_id;
  await closeSnapshots(client, [pit_id], call);
  throw new ClusterError(
    'transient',
    `point in time of ${index}[${shard}]: another node than [${nodeId}] has opened it`,
  );
}

function gone(index: string, shard: number): ClusterError {
  return new ClusterError('aborted', `point in time of ${index}[${shard}]: given up by the caller`);
}

/** Whether the id of a point in time names this node as its holder. */
function isSnapshotOf(pitId: string, nodeId: string): boolean {
  return Buffer.from(pitId, 'base64').includes(nodeId, 0, 'latin1');
}
