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

/** Two reads at the same moment overtake each other while the state changes; hardly three times in a row. */
const maxReads = 3;

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
 * every member has applied it, or has failed to for `cluster.publish.timeout`. An answer that a read beside this one has
 * overtaken shows nothing of a manager of the past: this one is asked again.
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
