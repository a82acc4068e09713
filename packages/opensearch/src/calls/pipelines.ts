import { createParser } from '@aosc/contract';
import type { PipelineDefinition } from '@aosc/domain';
import { type Call, ClusterError } from '@aosc/engine';
import { request, requestJson } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { pipelinePath } from '../index-path';
import { AcknowledgedSchema } from './shapes';

const parse = createParser('answer of _ingest/pipeline', AcknowledgedSchema);

/**
 * `PUT _ingest/pipeline/{name}`: OpenSearch compiles the scripts and refuses a pipeline whose script does not compile.
 * @throws ClusterError 'invalid' with the compiler's message; 'transient' when not every node knows it in time
 */
export async function putPipeline(
  client: OpenSearchClient,
  name: string,
  pipeline: PipelineDefinition,
  call: Call,
): Promise<void> {
  const path = pipelinePath(name);
  const { acknowledged } = await requestJson(
    client,
    { method: 'PUT', path, body: JSON.stringify(pipeline) },
    parse,
    call,
  );
  if (!acknowledged) throw new ClusterError('transient', `PUT ${path}: not acknowledged by every node`);
}

/** `DELETE _ingest/pipeline/{name}`; a missing pipeline counts as deleted. */
export async function deletePipeline(client: OpenSearchClient, name: string, call: Call): Promise<void> {
  await request(client, { method: 'DELETE', path: pipelinePath(name) }, call, [404]);
}
