import { createParser } from '@aosc/contract';
import type { IndexStatePort, Call, LaggingCopy } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { readRoutingTable, type RoutingTable } from './read-routing';
import { primaryOf, readCopies } from './shard-stats';
import type { AsksOf } from '../bind-calls';
import { getJson, type OpenSearchClient } from '../client/request';
import { indexPath } from '../index-path';

const parse = createParser(
  'answer of _cat/segment_replication',
  Type.Array(
    Type.Object({
      shardId: Type.String({ pattern: '\\[[0-9]+\\]$' }),
      checkpoints_behind: Type.String({ pattern: '^[0-9]+$' }),
    }),
  ),
);

/**
 * Copies that serve searches and are not known to show all that their primary has once it is refreshed. The routing
 * table says which copies exist; a copy without any figures is in doubt, not up to date.
 *
 * - With document replication a refresh reaches every copy.
 * - A repository feeds some copies, which get no writes. So their `max_seq_no` in `_stats` is that of the segments
 *   which they show (`NRTReplicationEngine.updateSegments`). In `_cat/segment_replication` a search replica is never
 *   behind.
 * - Other replicas number the writes that they get, whatever they show. Their primary knows what they show:
 *   `_cat/segment_replication` has a row for each that has ever fetched something, so there is none where the primary
 *   has never had a write.
 */
export const findLaggingCopies: AsksOf<IndexStatePort['findLaggingCopies']> = async (client, index, call) => {
  const table = await readRoutingTable(client, index, call);
  const { routing, activeReplicas, searchedShards, isRemote } = table;
  if (routing.replication === 'documents') return [];
  if (activeReplicas.length === 0 && searchedShards.size === 0) return [];
  const [copies, behind] = await Promise.all([
    readCopies(client, index, call),
    isRemote ? undefined : readRows(client, index, call),
  ]);
  const highest = (shard: number): number | undefined =>
    primaryOf(copies.get(shard) ?? [])?.seq_no.max_seq_no;
  if (behind !== undefined) return findByRows(table, highest, behind);
  const shownBy = ({ shard, nodeId }: ReplicaRouting): number | undefined =>
    copies.get(shard)?.find(({ routing: { node } }) => node === nodeId)?.seq_no.max_seq_no;
  return [...findBySegments(activeReplicas, highest, shownBy), ...findUnserved(table)];
};

type ReplicaRouting = RoutingTable['activeReplicas'][number];

function findBySegments(
  replicas: readonly ReplicaRouting[],
  highest: (shard: number) => number | undefined,
  shownBy: (replica: ReplicaRouting) => number | undefined,
): readonly LaggingCopy[] {
  return replicas.flatMap((replica): LaggingCopy[] => {
    const { shard, isSearchOnly } = replica;
    const shownSeqNo = shownBy(replica);
    const wanted = highest(shard);
    if (shownSeqNo === undefined || wanted === undefined) return [{ shard, isSearchOnly, state: 'unknown' }];
    return shownSeqNo < wanted ? [{ shard, isSearchOnly, state: 'behind', shownSeqNo }] : [];
  });
}

/** A row has only the name of its node, which is not unique, so this counts the rows of a shard. */
function findByRows(
  { activeReplicas }: RoutingTable,
  highest: (shard: number) => number | undefined,
  behind: ReadonlyMap<number, readonly boolean[]>,
): readonly LaggingCopy[] {
  const shards = [...new Set(activeReplicas.map(({ shard }) => shard))];
  return shards.flatMap((shard) => {
    if (highest(shard) === -1) return [];
    const rows = behind.get(shard) ?? [];
    const unknown = activeReplicas.filter((replica) => replica.shard === shard).length - rows.length;
    const lagging = (state: LaggingCopy['state']): LaggingCopy => ({ shard, isSearchOnly: false, state });
    return [
      ...rows.filter((isBehind) => isBehind).map(() => lagging('behind')),
      ...Array.from({ length: Math.max(0, unknown) }, () => lagging('unknown')),
    ];
  });
}

/** Shards without an active search replica: searches find no copy of them. */
function findUnserved({ activeReplicas, searchedShards }: RoutingTable): readonly LaggingCopy[] {
  const served = new Set(activeReplicas.filter(({ isSearchOnly }) => isSearchOnly).map(({ shard }) => shard));
  return [...searchedShards]
    .filter((shard) => !served.has(shard))
    .map((shard) => ({ shard, isSearchOnly: true, state: 'away' }));
}

/** `GET _cat/segment_replication/{index}`. @returns for each row of a shard whether its copy is behind */
async function readRows(
  client: OpenSearchClient,
  index: string,
  call: Call,
): Promise<ReadonlyMap<number, readonly boolean[]>> {
  const path = `/_cat/segment_replication/${indexPath(index)}`;
  const rows = await getJson(client, path, { format: 'json', h: 'shardId,checkpoints_behind' }, parse, call);
  const behind = new Map<number, boolean[]>();
  for (const { shardId, checkpoints_behind } of rows) {
    // "[index][3]", where the name can have brackets, too
    const shard = Number(shardId.slice(shardId.lastIndexOf('[') + 1, -1));
    behind.set(shard, [...(behind.get(shard) ?? []), checkpoints_behind !== '0']);
  }
  return behind;
}
