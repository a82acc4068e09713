import { createParser, ownValue } from '@aosc/contract';
import { nodeRun } from '@aosc/domain';
import type { Call, ClusterView } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { requestJson } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { indexPath } from '../index-path';

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

/**
 * `GET _cluster/state/nodes,metadata/{index}`, from the cluster manager. It shows a state when every member has applied
 * it or has failed to for half a minute (`cluster.publish.timeout`).
 */
export async function readClusterView(
  client: OpenSearchClient,
  index: string | undefined,
  call: Call,
): Promise<ClusterView> {
  const path = `/_cluster/state/nodes${index === undefined ? '' : `,metadata/${indexPath(index)}`}`;
  const query = { filter_path: 'nodes.*.ephemeral_id,metadata.indices.*.aliases' };
  const { nodes, metadata } = await requestJson(client, { method: 'GET', path, query }, parse, call);
  return {
    members: Object.entries(nodes)
      .map(([id, node]) => nodeRun(id, node.ephemeral_id))
      .toSorted(),
    aliases: index === undefined ? [] : (ownValue(metadata?.indices, index)?.aliases ?? []),
  };
}
