import { createParser } from '@aosc/contract';
import { type Call, ClusterError } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { requestJson } from '../client/request';
import type { OpenSearchClient } from '../client/types';

const parse = createParser(
  'answer of _nodes',
  Type.Object({
    _nodes: Type.Object({ failed: Type.Integer() }),
    nodes: Type.Record(Type.String(), Type.Object({ name: Type.String() })),
  }),
);

/** `GET _nodes/data:true`: ids of the nodes that hold shards. */
export async function dataNodes(client: OpenSearchClient, call: Call): Promise<readonly string[]> {
  const query = { filter_path: '_nodes.failed,nodes.*.name' };
  const what = { method: 'GET', path: '/_nodes/data:true', query } as const;
  const answer = await requestJson(client, what, parse, call);
  if (answer._nodes.failed !== 0) throw new ClusterError('transient', '_nodes: not every node has answered');
  return Object.keys(answer.nodes);
}
