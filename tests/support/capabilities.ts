import { createParser } from '@aosc/contract';
import { callJson, type HttpClient } from '@aosc/testkit';
import { Type } from '@sinclair/typebox';

const parseNodes = createParser(
  'answer of _nodes/ingest',
  Type.Object({
    nodes: Type.Record(
      Type.String(),
      Type.Object({ ingest: Type.Object({ processors: Type.Array(Type.Object({ type: Type.String() })) }) }),
    ),
  }),
);

/** Does every node have these ingest processors? Some distributions come without the modules they are in. */
export async function hasProcessors(http: HttpClient, ...wanted: readonly string[]): Promise<boolean> {
  const { nodes } = await callJson(http, parseNodes, 'GET', '/_nodes/ingest');
  return Object.values(nodes).every(({ ingest }) =>
    wanted.every((type) => ingest.processors.some((processor) => processor.type === type)),
  );
}
