import { byName, createParser, maybe } from '@aosc/contract';
import { type Call, ClusterError } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { getJson, type OpenSearchClient } from '../client/request';

const NodeSchema = Type.Object({
  name: Type.String(),
  host: maybe(Type.String()),
  ip: maybe(Type.String()),
  attributes: maybe(byName(Type.String())),
});
const parse = createParser(
  'answer of _nodes',
  Type.Object({
    _nodes: Type.Object({ failed: Type.Integer() }),
    nodes: maybe(byName(NodeSchema)),
  }),
);

/** `GET _nodes/{role}:true`: the nodes that hold shards, or that run pipelines. */
export async function nodesWithRole(client: OpenSearchClient, role: 'data' | 'ingest', call: Call) {
  const query = { filter_path: '_nodes.failed,nodes.*.name,nodes.*.host,nodes.*.ip,nodes.*.attributes' };
  const answer = await getJson(client, `/_nodes/${role}:true`, query, parse, call);
  if (answer._nodes.failed !== 0) throw new ClusterError('transient', '_nodes: not every node has answered');
  return Object.entries(answer.nodes ?? {}).map(([id, { name, host, ip, attributes = {} }]) => {
    return { id, name, host, ip, attributes };
  });
}
/** The traits of a node by which allocation filters select it. */
export type NodeTraits = Awaited<ReturnType<typeof nodesWithRole>>[number];
