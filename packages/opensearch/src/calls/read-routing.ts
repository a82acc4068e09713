import { byName, createParser, maybe, ownValue } from '@aosc/contract';
import {
  type IndexStatePort,
  type Call,
  ClusterError,
  type IndexRouting,
  type PrimaryRouting,
} from '@aosc/engine';
import { type Static, Type } from '@sinclair/typebox';
import { readClusterState } from './cluster-state';
import { blocksOfState, missingIndex, writeBlockOf } from './index-state';
import { byIndex } from './shapes';
import type { AsksOf } from '../bind-calls';
import type { OpenSearchClient } from '../client/request';

export const virtualShards = 'index.number_of_virtual_shards';

/**
 * How many routing shards an index has in effect. Where it has virtual shards, OpenSearch routes by their number
 * instead, and ignores `routing_num_shards` (3.7.0, `OperationRouting.generateShardId`).
 * @param virtual value of the setting
 */
export function routingShardsOf(routingNumShards: number, virtual: string | undefined): number {
  const count = Number(virtual ?? -1);
  return count > 0 ? count : routingNumShards;
}

const CopySchema = Type.Object({
  state: Type.String(),
  primary: Type.Boolean(),
  node: Type.Union([Type.String(), Type.Null()]),
  shard: Type.Integer(),
  allocation_id: maybe(Type.Object({ id: Type.String() })),
  unassigned_info: maybe(Type.Object({ reason: Type.String() })),
  // absent before 3.0
  searchOnly: maybe(Type.Boolean()),
});
type Copy = Static<typeof CopySchema>;

const parse = createParser(
  'answer of _cluster/state',
  Type.Object({
    cluster_uuid: Type.String(),
    blocks: blocksOfState.schema,
    metadata: byIndex(
      Type.Object({
        state: Type.String(),
        aliases: Type.Array(Type.String()),
        routing_num_shards: Type.Integer({ minimum: 1 }),
        settings: Type.Object({
          'index.uuid': Type.String(),
          'index.number_of_shards': Type.String(),
          'index.routing_partition_size': maybe(Type.String()),
          'index.replication.type': maybe(Type.String()),
          'index.remote_store.enabled': maybe(Type.String()),
          [virtualShards]: maybe(Type.String()),
        }),
        primary_terms: byName(Type.Integer()),
      }),
    ),
    routing_table: byIndex(Type.Object({ shards: byName(Type.Array(CopySchema)) })),
  }),
);

const wanted = [
  ...blocksOfState.fields,
  'metadata.indices.*.state',
  'metadata.indices.*.aliases',
  'metadata.indices.*.routing_num_shards',
  // A flat name is one name; a dot here would end the name of a field.
  'metadata.indices.*.settings.*uuid',
  'metadata.indices.*.settings.*number_of_shards',
  'metadata.indices.*.settings.*routing_partition_size',
  'metadata.indices.*.settings.*type',
  'metadata.indices.*.settings.*enabled',
  'metadata.indices.*.settings.*number_of_virtual_shards',
  'metadata.indices.*.primary_terms',
  ...['state', 'primary', 'node', 'shard', 'allocation_id', 'unassigned_info.reason', 'searchOnly'].map(
    (field) => `routing_table.indices.*.shards.*.${field}`,
  ),
];

/**
 * Where the copies of an index are, from the cluster manager, with write block and aliases of the same state. For a
 * missing index OpenSearch answers 200 without an entry, for an alias with the entry of its index: only an entry of the
 * exact name counts.
 * @throws ClusterError 'not_found'; 'transient' when an open index is shown without one of its shards
 */
export const readRouting: AsksOf<IndexStatePort['readRouting']> = async (client, index, call) => {
  return (await readRoutingTable(client, index, call)).routing;
};

/**
 * {@link readRouting} with each replica.
 * @throws ClusterError as above
 */
export async function readRoutingTable(client: OpenSearchClient, index: string, call: Call) {
  const request = { metrics: ['blocks', 'routing_table'], index, fields: wanted } as const;
  const state = await readClusterState(client, request, parse, call);
  const metadata = ownValue(state.metadata?.indices, index);
  if (metadata === undefined) throw missingIndex(index, state.blocks);
  const shards = Object.values(ownValue(state.routing_table?.indices, index)?.shards ?? {});
  const primaries = shards.flatMap((copies): PrimaryRouting[] => {
    const primary = copies.find((copy) => copy.primary);
    if (primary === undefined) return [];
    const primaryTerm = metadata.primary_terms[String(primary.shard)];
    if (primaryTerm === undefined)
      throw new ClusterError('transient', `${index}: no primary term of ${primary.shard}`);
    return [describeShard(primary, primaryTerm, copies)];
  });
  const open = metadata.state === 'open';
  const shardCount = Number(metadata.settings['index.number_of_shards']);
  // A caller that searches the list for a missing primary would find none missing in an empty list.
  if (open && primaries.length !== shardCount) {
    throw new ClusterError(
      'transient',
      `the cluster state shows ${primaries.length} of ${shardCount} shards of ${index}`,
    );
  }
  const replicas = shards.flat().filter(({ primary }) => !primary);
  const routing: IndexRouting = {
    clusterUuid: state.cluster_uuid,
    indexUuid: metadata.settings['index.uuid'],
    open,
    shape: {
      shardCount,
      routingShardCount: routingShardsOf(metadata.routing_num_shards, metadata.settings[virtualShards]),
      partitionSize: Number(metadata.settings['index.routing_partition_size'] ?? 1),
    },
    aliases: metadata.aliases,
    isWriteBlocked: writeBlockOf(state.blocks, index) !== 'none',
    replication: metadata.settings['index.replication.type'] === 'SEGMENT' ? 'segments' : 'documents',
    primaries: primaries.toSorted((a, b) => a.shard - b.shard),
  };
  return {
    routing,
    /** replicas and search replicas that are assigned and recovered */
    activeReplicas: replicas.flatMap((copy) =>
      isActive(copy) && copy.node !== null
        ? [{ shard: copy.shard, nodeId: copy.node, isSearchOnly: copy.searchOnly === true }]
        : [],
    ),
    /** shards that should have search replicas */
    searchedShards: new Set(
      replicas.filter(({ searchOnly }) => searchOnly === true).map(({ shard }) => shard),
    ),
    /** a repository feeds the copies, not the writes of their primary */
    isRemote: metadata.settings['index.remote_store.enabled'] === 'true',
  };
}
export type RoutingTable = Awaited<ReturnType<typeof readRoutingTable>>;

function describeShard(primary: Copy, primaryTerm: number, copies: readonly Copy[]): PrimaryRouting {
  return {
    shard: primary.shard,
    nodeId: primary.node ?? undefined,
    state: primary.state,
    allocationId: primary.allocation_id?.id,
    primaryTerm,
    hasFailed: primary.state === 'UNASSIGNED' && primary.unassigned_info?.reason === 'ALLOCATION_FAILED',
    copies: copies.length,
    activeCopies: copies.filter(isActive).length,
    isMoving: copies.some(({ state }) => state === 'INITIALIZING' || state === 'RELOCATING'),
  };
}

/** A moving copy is one copy; its future place does not matter here. */
function isActive({ state }: Copy): boolean {
  return state === 'STARTED' || state === 'RELOCATING';
}
