import { createParser, ownValue } from '@aosc/contract';
import { type Call, ClusterError, type IndexRouting, type PrimaryRouting } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { requestJson } from '../client/request';
import { missingIndex } from './missing-index';
import type { OpenSearchClient } from '../client/types';
import { indexPath } from '../index-path';

const CopySchema = Type.Object({
  state: Type.String(),
  primary: Type.Boolean(),
  node: Type.Union([Type.String(), Type.Null()]),
  shard: Type.Integer(),
  allocation_id: Type.Optional(Type.Object({ id: Type.String() })),
});

const parse = createParser(
  'answer of _cluster/state',
  Type.Object({
    cluster_uuid: Type.String(),
    blocks: Type.Optional(Type.Object({ global: Type.Optional(Type.Unknown()) })),
    metadata: Type.Optional(
      Type.Object({
        indices: Type.Optional(
          Type.Record(
            Type.String(),
            Type.Object({
              state: Type.String(),
              settings: Type.Object({ index: Type.Object({ uuid: Type.String() }) }),
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
  'cluster_uuid',
  'blocks.global.*.retryable',
  'metadata.indices.*.state',
  'metadata.indices.*.settings.index.uuid',
  'metadata.indices.*.primary_terms',
  'routing_table.indices.*.shards.*.state',
  'routing_table.indices.*.shards.*.primary',
  'routing_table.indices.*.shards.*.node',
  'routing_table.indices.*.shards.*.shard',
  'routing_table.indices.*.shards.*.allocation_id',
].join(',');

/**
 * `GET _cluster/state/metadata,routing_table/{index}`, from the cluster manager. A missing index is answered
 * with 200 and no entry, an alias with the entry of its index: only the entry of the very name counts.
 * @throws ClusterError 'not_found'
 */
export async function readRouting(
  client: OpenSearchClient,
  index: string,
  call: Call,
): Promise<IndexRouting> {
  const path = `/_cluster/state/blocks,metadata,routing_table/${indexPath(index)}`;
  const state = await requestJson(
    client,
    { method: 'GET', path, query: { filter_path: wanted } },
    parse,
    call,
  );
  const metadata = ownValue(state.metadata?.indices, index);
  if (metadata === undefined) {
    // Until the cluster has recovered its state it answers 200 without any index.
    if (state.blocks?.global !== undefined)
      throw new ClusterError('transient', 'the cluster state is not recovered yet');
    throw missingIndex(index);
  }
  const shards = Object.values(ownValue(state.routing_table?.indices, index)?.shards ?? {});
  const primaries = shards.flatMap((copies): PrimaryRouting[] => {
    const primary = copies.find((copy) => copy.primary);
    if (primary === undefined) return [];
    const primaryTerm = metadata.primary_terms[String(primary.shard)];
    if (primaryTerm === undefined)
      throw new ClusterError('transient', `${index}: no primary term of ${primary.shard}`);
    return [
      {
        shard: primary.shard,
        nodeId: primary.node ?? undefined,
        state: primary.state,
        allocationId: primary.allocation_id?.id,
        primaryTerm,
      },
    ];
  });
  return {
    clusterUuid: state.cluster_uuid,
    indexUuid: metadata.settings.index.uuid,
    open: metadata.state === 'open',
    primaries: primaries.toSorted((a, b) => a.shard - b.shard),
  };
}
