import { createParser } from '@aosc/contract';
import { type Call, ClusterError } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { requestJson } from '../client/request';
import type { OpenSearchClient } from '../client/types';

const parse = createParser('answer of GET /', Type.Object({ cluster_uuid: Type.String() }));

/** `GET /`. A node that has not joined a cluster answers `_na_`. */
export async function clusterUuid(client: OpenSearchClient, call: Call): Promise<string> {
  const { cluster_uuid } = await requestJson(client, { method: 'GET', path: '/' }, parse, call);
  if (cluster_uuid === '_na_') throw new ClusterError('transient', 'the node has not joined a cluster yet');
  return cluster_uuid;
}
