import { createParser, maybe } from '@aosc/contract';
import { type ClusterPort, ClusterError, isClusterError } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import type { Asks } from '../bind-calls';
import { getJson } from '../client/request';

const parse = createParser(
  'answer of GET /',
  Type.Object({
    cluster_uuid: Type.String(),
    version: Type.Object({ number: Type.String(), distribution: maybe(Type.String()) }),
  }),
);

/**
 * `GET /`. A node that has not joined a cluster answers `_na_`. Every OpenSearch names its distribution, even if
 * `compatibility.override_main_response_version` makes it answer with another number. The product from which OpenSearch
 * was forked names none. `error_trace` changes no answer but that of a node that leaves out of its errors what the
 * service decides by, such as the type of a failed shard: it refuses the request.
 * @throws ClusterError 'invalid' when it is not OpenSearch, or such a node: a repetition would not help
 */
export const clusterUuid: Asks<ClusterPort['uuid']> = async (client, call) => {
  const asked = getJson(client, '/', { error_trace: true }, parse, call);
  const { cluster_uuid, version } = await asked.catch(refuseBareErrors);
  if (version.distribution !== 'opensearch') {
    throw new ClusterError(
      'invalid',
      `the cluster is not OpenSearch: it answers GET / with version [${version.number}] and ` +
        `${version.distribution === undefined ? 'no distribution' : `the distribution [${version.distribution}]`}. ` +
        'Point AOSC_OPENSEARCH_URL at an OpenSearch cluster',
    );
  }
  if (cluster_uuid === '_na_') throw new ClusterError('transient', 'the node has not joined a cluster yet');
  return cluster_uuid;
};

function refuseBareErrors(error: unknown): never {
  if (!isClusterError(error, 'invalid') || !error.message.includes('error traces in responses are disabled'))
    throw error;
  throw new ClusterError(
    'invalid',
    'a node has [http.detailed_errors.enabled: false], and its errors lack what the service decides by: take that line out of ' +
      'the opensearch.yml of all nodes, and restart them',
    error.details,
    { cause: error },
  );
}
