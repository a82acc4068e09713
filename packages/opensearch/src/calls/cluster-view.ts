import { createParser, ownValue } from '@aosc/contract';
import { nodeRun } from '@aosc/domain';
import type { Call, ClusterView } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import type { OpenSearchClient } from '../client/types';
import { readClusterState } from './cluster-state';

const parse = createParser(
  'answer of _cluster/state',
  Type.Object({
    nodes: Type.Record(Type.String(), Type.Object({ ephemeral_id: Type.String() })),
    metadata: Type.Optional(
      Type.Object({
        indices: Type.Optional(
          Type.Record(Type.String(), Type.Object({ aliases: Type.Optional(Type.Array(Type.String())) })),
        ),
      }),
    ),
  }),
);

/** Members of the cluster and aliases of an index, as one and the same cluster state shows them. */
export async function readClusterView(
  client: OpenSearchClient,
  index: string | undefined,
  call: Call,
): Promise<ClusterView> {
  const request = {
    metrics: ['nodes'],
    fields: ['nodes.*.ephemeral_id', 'metadata.indices.*.aliases'],
    ...(index !== undefined && { index }),
  } as const;
  const { nodes, metadata } = await readClusterState(client, request, parse, call);
  return {
    members: Object.entries(nodes)
      .map(([id, node]) => nodeRun(id, node.ephemeral_id))
      .toSorted(),
    aliases: index === undefined ? [] : (ownValue(metadata?.indices, index)?.aliases ?? []),
  };
}
