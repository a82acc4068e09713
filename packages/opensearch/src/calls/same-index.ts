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
 * OpenSearch takes the name of an alias for the index behind it, and no request can say which index is meant. So what
 * changes an index by its name is preceded by this look: the name has to be that of the index with this uuid still.
 * @throws ClusterError 'not_found' as for an index that is gone: under its name there is none, or another one
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
