import { createParser, ownValue } from '@aosc/contract';
import { type Call, ClusterError } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import type { OpenSearchClient } from '../client/types';
import { readClusterState } from './cluster-state';
import { indicesState, missingIndex, recoveryBlock } from './missing-index';

const parse = createParser(
  'answer of _cluster/state',
  indicesState(Type.Object({ settings: Type.Object({ 'index.uuid': Type.String() }) })),
);

/**
 * OpenSearch resolves an alias's name to the index behind it, and no request can say which index it means. So before a
 * call changes an index by its name, this checks that the name is still that of the index with this uuid.
 * @throws ClusterError 'not_found' as for an index that is gone: its name has no index, or another one
 */
export async function requireSameIndex(
  client: OpenSearchClient,
  index: string,
  uuid: string,
  call: Call,
): Promise<void> {
  const fields = ['metadata.indices.*.settings.*uuid', recoveryBlock.field];
  const state = await readClusterState(client, { metrics: ['blocks'], index, fields }, parse, call);
  const found = ownValue(state.metadata?.indices, index)?.settings['index.uuid'];
  if (found === undefined) throw missingIndex(index, state);
  if (found === uuid) return;
  throw new ClusterError('not_found', `[${index}] is another index by now: it has the uuid [${found}]`, {
    type: 'index_not_found_exception',
  });
}
