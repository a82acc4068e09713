import { createParser, ownValue } from '@aosc/contract';
import type { Call, WriteBlockState } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { requestJson } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { indexPath } from '../index-path';

/** `index.blocks.write` in `_cluster/state` (IndexMetadata.INDEX_WRITE_BLOCK) */
const writeBlockId = '8';

const parse = createParser(
  'answer of _cluster/state/blocks',
  Type.Object({
    blocks: Type.Optional(
      Type.Object({
        indices: Type.Optional(
          Type.Record(
            Type.String(),
            Type.Record(Type.String(), Type.Object({ uuid: Type.Optional(Type.String()) })),
          ),
        ),
      }),
    ),
  }),
);

/**
 * `GET _cluster/state/blocks/{index}`. While `PUT {index}/_block/write` waits for the writes of before, the block has
 * a uuid; taking back `index.blocks.write` then takes back the setting and leaves the block, which becomes a
 * lasting one when those writes have ended. So the setting alone does not tell whether writes are possible.
 */
export async function readWriteBlock(
  client: OpenSearchClient,
  index: string,
  call: Call,
): Promise<WriteBlockState> {
  const path = `/_cluster/state/blocks/${indexPath(index)}`;
  const state = await requestJson(client, { method: 'GET', path }, parse, call);
  const block = ownValue(state.blocks?.indices, index)?.[writeBlockId];
  if (block === undefined) return 'none';
  return block.uuid === undefined ? 'set' : 'draining';
}
