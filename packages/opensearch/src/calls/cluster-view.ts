import { createParser, ownValue } from '@aosc/contract';
import { nodeRun } from '@aosc/domain';
import type { Call, ClusterView } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import type { OpenSearchClient } from '../client/types';
import { readClusterState } from './cluster-state';
import { isUnrecovered, missingIndex, recoveryBlock } from './missing-index';

const parse = createParser(
  'answer of _cluster/state',
  Type.Object({
    blocks: Type.Optional(Type.Object({ global: recoveryBlock.schema })),
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

/** Members of the cluster and aliases of an index, all from one cluster state. */
export async function readClusterView(
  client: OpenSearchClient,
  index: string | undefined,
  call: Call,
): Promise<ClusterView> {
  const request = {
    metrics: ['blocks', 'nodes'],
    fields: ['nodes.*.ephemeral_id', 'metadata.indices.*.aliases', recoveryBlock.field],
    ...(index !== undefined && { index }),
  } as const;
  const state = await readClusterState(client, request, parse, call);
  // The caller would take a lack of aliases for a taken token and closed fences.
  if (index !== undefined && isUnrecovered(state)) throw missingIndex(index, state);
  const { nodes, metadata } = state;
  return {
    members: Object.entries(nodes)
      .map(([id, node]) => nodeRun(id, node.ephemeral_id))
      .toSorted(),
    aliases: index === undefined ? [] : (ownValue(metadata?.indices, index)?.aliases ?? []),
  };
}
