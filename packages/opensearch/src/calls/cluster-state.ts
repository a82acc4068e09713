import { createParser } from '@aosc/contract';
import type { Call } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { newestStateOf } from '../client/newest-state';
import { requestJson, type OpenSearchClient } from '../client/request';
import { aliasPath } from '../index-path';

const parsePosition = createParser(
  'position of a cluster state',
  Type.Object({
    cluster_uuid: Type.String(),
    version: Type.Integer(),
    metadata: Type.Object({ cluster_coordination: Type.Object({ term: Type.Integer() }) }),
  }),
);

/** Two concurrent reads overtake each other while the state changes, but hardly three times in a row. */
const maxReads = 3;

const positionFields = ['cluster_uuid', 'version', 'metadata.cluster_coordination.term'];

export interface StateRequest {
  /** beside `version` and `metadata` */
  readonly metrics?: readonly ('blocks' | 'nodes' | 'routing_table')[];
  /** or an alias, for its indices; left out: of the cluster as a whole, without any index's metadata */
  readonly index?: string;
  /** the wanted parts of the answer, in the form of `filter_path` */
  readonly fields: readonly string[];
}

/**
 * `GET _cluster/state/…`, which the cluster manager answers. Every read of the cluster's state goes this way, and this
 * refuses an answer that is older than the newest that this client has seen (`NewestState`). A manager shows a state
 * when it is committed and every member has applied it, or has failed to for `cluster.publish.timeout`. When a
 * concurrent read has overtaken this one, the answer says nothing about a former manager, so this asks again.
 * @throws ClusterError 'transient' also when a former manager has answered
 */
export async function readClusterState<T>(
  client: OpenSearchClient,
  { metrics = [], index, fields }: StateRequest,
  parse: (value: unknown) => T,
  call: Call,
): Promise<T> {
  const parts = ['version', 'metadata', ...metrics].join(',');
  // Without a name OpenSearch would build the metadata of every index. For a name that does not exist it builds none.
  const path = `/_cluster/state/${parts}/${aliasPath(index ?? noIndex)}`;
  const query = { filter_path: [...positionFields, ...fields].join(','), flat_settings: true };
  const newest = newestStateOf(client);
  for (let reads = 1; ; reads += 1) {
    const seenBefore = newest.read();
    const accept = (value: unknown) => {
      const parsed = parse(value);
      const { cluster_uuid, version, metadata } = parsePosition(value);
      const answered = { clusterUuid: cluster_uuid, term: metadata.cluster_coordination.term, version };
      const readAgain = reads < maxReads && newest.hasOvertaken(answered, seenBefore);
      if (!readAgain) newest.accept(answered);
      return { parsed, readAgain };
    };
    const { parsed, readAgain } = await requestJson(client, { method: 'GET', path, query }, accept, call);
    if (!readAgain) return parsed;
  }
}

const noIndex = 'aosc-no-index';
