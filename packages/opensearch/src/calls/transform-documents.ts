import type { TransformPort, RawDocument } from '@aosc/engine';
import type { Asks } from '../bind-calls';
import { request } from '../client/request';
import { readTransformAnswer } from '../codec/transform-answer';
import { wrapSource } from '../codec/wrap-source';
import { indexPath, pipelinePath } from '../index-path';

const comma = Buffer.from(',');

/**
 * `POST _ingest/pipeline/_simulate`: runs a pipeline on documents and writes nothing.
 * @throws ClusterError 'invalid' when a script does not compile or a document can't be parsed; OpenSearch does not say
 *   which document
 */
export const transformDocuments: Asks<TransformPort['transformDocuments']> = async (
  client,
  { pipeline, index, shard, documents },
  call,
) => {
  if (documents.length === 0) return [];
  // Also checks the name before it becomes the `_index` of documents.
  indexPath(index);
  const parts: Uint8Array[] = [
    Buffer.from(
      typeof pipeline === 'string' ? '{"docs":[' : `{"pipeline":${JSON.stringify(pipeline)},"docs":[`,
    ),
  ];
  documents.forEach((document, at) => {
    if (at > 0) parts.push(comma);
    parts.push(Buffer.from(documentHead(index, document)), ...wrapSource(document, shard), Buffer.from('}'));
  });
  parts.push(Buffer.from(']}'));
  const path = typeof pipeline === 'string' ? pipelinePath(pipeline) : '/_ingest/pipeline';
  const answer = await request(
    client,
    { method: 'POST', path: `${path}/_simulate`, body: Buffer.concat(parts) },
    call,
  );
  return readTransformAnswer(answer, documents);
};

function documentHead(index: string, { idToken, routingToken }: RawDocument): string {
  const routing = routingToken === undefined ? '' : `"_routing":${routingToken},`;
  return `{"_index":${JSON.stringify(index)},"_id":${idToken},${routing}"_source":`;
}
