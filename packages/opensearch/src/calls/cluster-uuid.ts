import { createParser } from '@aosc/contract';
import { type Call, ClusterError } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { requestJson } from '../client/request';
import type { OpenSearchClient } from '../client/types';

const parse = createParser(
  'answer of GET /',
  Type.Object({
    cluster_uuid: Type.String(),
    version: Type.Object({ number: Type.String(), distribution: Type.Optional(Type.String()) }),
  }),
);

/**
 * `GET /`. A node that has not joined a cluster answers `_na_`. Every OpenSearch names its distribution, even if
 * `compatibility.override_main_response_version` makes it answer with another number. The product from which OpenSearch
 * was forked names none.
 * @throws ClusterError 'invalid' when it is not OpenSearch: a repetition would not help
 */
export async function clusterUuid(client: OpenSearchClient, call: Call): Promise<string> {
  const { cluster_uuid, version } = await requestJson(client, { method: 'GET', path: '/' }, parse, call);
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
}
