import { createParser } from '@aosc/contract';
import type { Call } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { newestStateOf } from '../client/newest-state';
import { requestJson } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { indexPath } from '../index-path';

const parsePosition = createParser(
  'position of a cluster state',
  Type.Object({
    cluster_uuid: Type.String(),
    version: Type.Integer(),
    metadata: Type.Object({ cluster_coordination: Type.Object({ term: Type.Integer() }) }),
  }),
);

const positionFields = ['cluster_uuid', 'version', 'metadata.cluster_coordination.term'];

export interface StateRequest {
  /** beside `version` and `metadata` */
  readonly metrics?: readonly ('blocks' | 'nodes' | 'routing_table')[];
  /** left out: of the cluster as a whole, without any index's metadata */
  readonly index?: string;
  /** what of the answer is wanted, as `filter_path` has it */
  readonly fields: readonly string[];
}

/**
 * `GET _cluster/state/…`, which the cluster manager answers. Each read of the cluster's state goes this way: an answer
 * that is older than one this client has seen is refused (`NewestState`). A state is shown when it is committed and
 * every member has applied it, or has failed to for `cluster.publish.timeout`.
 * @throws ClusterError 'transient' also when a manager of the past has answered
 */
export async function readClusterState<T>(
  client: OpenSearchClient,
  { metrics = [], index, fields }: StateRequest,
  parse: (value: unknown) => T,
  call: Call,
): Promise<T> {
  const parts = ['version', 'metadata', ...metrics].join(',');
  // Without a name the metadata of every index would be built. A name that nobody has is answered with none.
  const path = `/_cluster/state/${parts}/${indexPath(index ?? noIndex)}`;
  const query = { filter_path: [...positionFields, ...fields].join(','), flat_settings: true };
  const accept = (value: unknown): T => {
    const parsed = parse(value);
    const { cluster_uuid, version, metadata } = parsePosition(value);
    newestStateOf(client).accept({
      clusterUuid: cluster_uuid,
      term: metadata.cluster_coordination.term,
      version,
    });
    return parsed;
  };
  return requestJson(client, { method: 'GET', path, query }, accept, call);
}

const noIndex = 'aosc-no-index';
