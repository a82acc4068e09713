import { createParser, ownValue } from '@aosc/contract';
import type { Call, WriteBlockState } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import type { OpenSearchClient } from '../client/types';
import { readClusterState } from './cluster-state';
import { isUnrecovered, missingIndex, recoveryBlock } from './missing-index';
import { IndexBlocksSchema, writeBlockId } from './shapes';

const parse = createParser(
  'answer of _cluster/state/blocks',
  Type.Object({
    blocks: Type.Optional(
      Type.Object({ global: recoveryBlock.schema, indices: Type.Optional(IndexBlocksSchema) }),
    ),
  }),
);

/**
 * `GET _cluster/state/blocks/{index}`. While `PUT {index}/_block/write` waits for earlier writes, the block has a uuid.
 * If `index.blocks.write` is then set back, OpenSearch removes the setting but not the block, which becomes a lasting
 * one when those writes have ended. So the setting by itself does not show whether writes are possible.
 */
export async function readWriteBlock(
  client: OpenSearchClient,
  index: string,
  call: Call,
): Promise<WriteBlockState> {
  const request = { metrics: ['blocks'], index, fields: ['blocks.indices', recoveryBlock.field] } as const;
  const state = await readClusterState(client, request, parse, call);
  if (isUnrecovered(state)) throw missingIndex(index, state);
  const block = ownValue(state.blocks?.indices, index)?.[writeBlockId];
  if (block === undefined) return 'none';
  return block.uuid === undefined ? 'set' : 'draining';
}
