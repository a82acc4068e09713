import { createParser, ownValue } from '@aosc/contract';
import { type Call, ClusterError, type IndexRouting, type PrimaryRouting } from '@aosc/engine';
import { type Static, Type } from '@sinclair/typebox';
import type { OpenSearchClient } from '../client/types';
import { readClusterState } from './cluster-state';
import { missingIndex, recoveryBlock } from './missing-index';
import { IndexBlocksSchema, writeBlockId } from './shapes';

const CopySchema = Type.Object({
  state: Type.String(),
  primary: Type.Boolean(),
  node: Type.Union([Type.String(), Type.Null()]),
  shard: Type.Integer(),
  allocation_id: Type.Optional(Type.Object({ id: Type.String() })),
});
type Copy = Static<typeof CopySchema>;

const parse = createParser(
  'answer of _cluster/state',
  Type.Object({
    cluster_uuid: Type.String(),
    blocks: Type.Optional(
      Type.Object({ global: recoveryBlock.schema, indices: Type.Optional(IndexBlocksSchema) }),
    ),
    metadata: Type.Optional(
      Type.Object({
        indices: Type.Optional(
          Type.Record(
            Type.String(),
            Type.Object({
              state: Type.String(),
              aliases: Type.Array(Type.String()),
              routing_num_shards: Type.Integer({ minimum: 1 }),
              settings: Type.Object({
                'index.uuid': Type.String(),
                'index.number_of_shards': Type.String(),
                'index.routing_partition_size': Type.Optional(Type.String()),
              }),
              primary_terms: Type.Record(Type.String(), Type.Integer()),
            }),
          ),
        ),
      }),
    ),
    routing_table: Type.Optional(
      Type.Object({
        indices: Type.Optional(
          Type.Record(
            Type.String(),
            Type.Object({ shards: Type.Record(Type.String(), Type.Array(CopySchema)) }),
          ),
        ),
      }),
    ),
  }),
);

const wanted = [
  recoveryBlock.field,
  'blocks.indices',
  'metadata.indices.*.state',
  'metadata.indices.*.aliases',
  'metadata.indices.*.routing_num_shards',
  // A flat name is one name, and a dot would end the name of a field here.
  'metadata.indices.*.settings.*uuid',
  'metadata.indices.*.settings.*number_of_shards',
  'metadata.indices.*.settings.*routing_partition_size',
  'metadata.indices.*.primary_terms',
  ...['state', 'primary', 'node', 'shard', 'allocation_id'].map(
    (field) => `routing_table.indices.*.shards.*.${field}`,
  ),
];

/**
 * Where the copies of an index are, by the cluster manager, with the write block and the aliases of the very same state.
 * A missing index is answered with 200 and no entry, an alias with the entry of its index: only the entry of the very
 * name counts.
 * @throws ClusterError 'not_found'
 */
export async function readRouting(
  client: OpenSearchClient,
  index: string,
  call: Call,
): Promise<IndexRouting> {
  const request = { metrics: ['blocks', 'routing_table'], index, fields: wanted } as const;
  const state = await readClusterState(client, request, parse, call);
  const metadata = ownValue(state.metadata?.indices, index);
  if (metadata === undefined) throw missingIndex(index, state);
  const shards = Object.values(ownValue(state.routing_table?.indices, index)?.shards ?? {});
  const primaries = shards.flatMap((copies): PrimaryRouting[] => {
    const primary = copies.find((copy) => copy.primary);
    if (primary === undefined) return [];
    const primaryTerm = metadata.primary_terms[String(primary.shard)];
    if (primaryTerm === undefined)
      throw new ClusterError('transient', `${index}: no primary term of ${primary.shard}`);
    return [describeShard(primary, primaryTerm, copies)];
  });
  return {
    clusterUuid: state.cluster_uuid,
    indexUuid: metadata.settings['index.uuid'],
    open: metadata.state === 'open',
    shape: {
      shardCount: Number(metadata.settings['index.number_of_shards']),
      routingShardCount: metadata.routing_num_shards,
      partitionSize: Number(metadata.settings['index.routing_partition_size'] ?? 1),
    },
    aliases: metadata.aliases,
    isWriteBlocked: ownValue(state.blocks?.indices, index)?.[writeBlockId] !== undefined,
    primaries: primaries.toSorted((a, b) => a.shard - b.shard),
  };
}

function describeShard(primary: Copy, primaryTerm: number, copies: readonly Copy[]): PrimaryRouting {
  return {
    shard: primary.shard,
    nodeId: primary.node ?? undefined,
    state: primary.state,
    allocationId: primary.allocation_id?.id,
    primaryTerm,
    copies: copies.length,
    // A copy that moves is one copy: that it is elsewhere soon changes nothing about it.
    activeCopies: copies.filter(({ state }) => state === 'STARTED' || state === 'RELOCATING').length,
  };
}
